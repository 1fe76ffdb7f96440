# Arrow in a window of a virtual screen; what is written to this script's input is done there, a line each.
# window.sh PROGRAM CONFIG_DIR WORK_DIR OUTPUT
"$1" --rendering-driver opengl3 --audio-driver Dummy --config-dir "$2" --work-dir "$3" >"$4" 2>&1 &
arrow=$!
trap 'kill $arrow' EXIT
while read -r line; do
  eval "$line"
  echo done
done
