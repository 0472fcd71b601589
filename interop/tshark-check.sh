#!/bin/bash
# What tshark, a decoder that is not ours, makes of a capture of NFS over RDMA on iWARP.
#
#   interop/tshark-check.sh FILE.pcap[.xz]
#
# Fails unless
#   - no packet is missing from the capture or cut short,
#   - MPA, DDP/RDMAP, RPC-over-RDMA, RPC and NFS are decoded, and every FPDU is,
#   - the only frames shown as malformed are replies to READ with data in a Write chunk (tshark looks for the data in
#     the message, where it must not be), and each of those is,
#   - every call has exactly one reply, and none is an RDMA_ERROR; there is no Terminate.
#
# The capture is first cut anew at FPDU borders; src/recut.c says why.
set -euo pipefail
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

[[ $# == 1 && -f $1 ]] || die "usage: tshark-check.sh FILE.pcap[.xz]"
need tshark=tshark xz=xz-utils
build_helper recut
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
case $1 in
    *.xz) xz -dc "$1" >"$work/whole.pcap" ;;
    *) ln -s "$(realpath "$1")" "$work/whole.pcap" ;;
esac
if "$INTEROP_CACHE/bin/recut" "$work/whole.pcap" "$work/cut.pcap" >"$work/recut" 2>&1; then
    echo "ok   nothing missing: $(<"$work/recut")"
else
    echo "FAIL $(<"$work/recut")"
    exit 1
fi

# One line per frame with iWARP in it; a field that occurs more than once has its values joined with commas.
tshark -r "$work/cut.pcap" -Y 'iwarp_mpa' -T fields -e frame.number -e frame.protocols -e tcp.stream -e tcp.dstport \
    -e iwarp_mpa.req -e iwarp_rdma.opcode -e rpcordma.xid -e rpcordma.msg_type -e rpcordma.writes_count \
    -e rpc.msgtyp -e nfs.procedure_v3 -e nfs.count3 -e nfs.opcode -e nfs.read.data_length \
    -e _ws.malformed >"$work/frames" 2>"$work/stderr" || { cat "$work/stderr" >&2; die "tshark fails"; }

awk -F '\t' -v fpdus="$(sed 's/.* \([0-9]*\) MPA.*/\1/' "$work/recut")" '
    function first(list) { sub(/,.*/, "", list); return list }
    function judge(good, text) { print (good ? "ok   " : "FAIL ") text; failed += !good }
    {
        for (p in wanted) if ((":" $2 ":") ~ (":" wanted[p] ":")) seen[wanted[p]]++
        if ($5 != "") { server[$3] = $4; connections++ }
        if ($6 != "" && strtonum16($6) > 7) strange++
        if (first($6) == "0x07") terminates++
        to_server = server[$3] == $4
    }
    $7 != "" {
        key = $3 " " first($7)
        if (to_server) calls[key]++; else replies[key]++
        if (first($8) == 4) errors++
    }
    {
        is_read = first($11) == 6 && first($12) > 0 || ("," $13 ",") ~ /,25,/ && first($14) > 0
        must_look_malformed = is_read && !to_server && first($10) == 1 && first($9) > 0
    }
    must_look_malformed { reads++ }
    $15 != "" { malformed++ }
    ($15 != "") != must_look_malformed && different++ < 5 { print "     frame " $1 ": " $2 }
    function strtonum16(text) { return index("0123456789abcdef", substr(first(text), 4, 1)) - 1 }
    BEGIN { split("iwarp_mpa iwarp_ddp_rdmap rpcordma rpc nfs", wanted, " ") }
    END {
        for (p = 1; p in wanted; p++) judge(seen[wanted[p]] > 0, wanted[p] ": " seen[wanted[p]] + 0 " frames")
        judge(NR == fpdus && strange == 0, "FPDUs and MPA frames: " NR " decoded of " fpdus \
            ", unknown opcodes " strange + 0)
        judge(different == 0 && malformed == reads, "malformed frames: " malformed + 0 \
            ", replies to READ with data in a Write chunk: " reads + 0)
        for (key in calls) { total++; if (calls[key] != replies[key]) unanswered++ }
        for (key in replies) if (!(key in calls)) unasked++
        judge(total > 0 && unanswered + unasked == 0, "calls: " total + 0 " on " connections + 0 \
            " connections, without one reply " unanswered + 0 ", replies without a call " unasked + 0)
        judge(errors + terminates == 0, "RDMA_ERROR " errors + 0 ", Terminate " terminates + 0)
        exit failed > 0
    }' "$work/frames"
