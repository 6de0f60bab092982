# Ends process groups once our standard input has ended. POSIX sh; the only program that it runs is `sleep`.
#
# In: `+ GROUP TENTHS` for a group to watch, with the tenths of a second that it may take to end, and `- GROUP` for a
# group that has ended. At the end of input each group that still lives gets half of its time, then SIGTERM, then the
# other half, then SIGKILL.
trap '' HUP INT QUIT TERM
groups=
while read -r what group tenths; do
    case $what in
        +) groups="$groups $group:$tenths" ;;
        -)
            kept=
            for each in $groups; do
                [ "${each%%:*}" = "$group" ] || kept="$kept $each"
            done
            groups=$kept
            ;;
    esac
done

lives() { kill -s 0 -- "-$group" 2>/dev/null; }

wait_until() {
    while [ "$left" -gt "$1" ] && lives; do
        # Some implementations of `sleep` take no fractions.
        if sleep 0.1 2>/dev/null; then left=$((left - 1)); else sleep 1 && left=$((left - 10)) || left=0; fi
    done
}

for each in $groups; do
    (
        group=${each%%:*} left=${each##*:}
        wait_until $((left / 2))
        lives && kill -s TERM -- "-$group"
        wait_until 0
        lives && kill -s KILL -- "-$group"
    ) &
done
wait
