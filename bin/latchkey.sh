#!/bin/sh
# Starts Latchkey on the Node that is beside this file. Any link to this file works too.
set -eu
here=$(dirname -- "$(readlink -f -- "$0")")
# With one malloc arena memory does not grow; the default is several for each core.
export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}"
# Without -- Node would read the file of --env-file itself.
for word in "$@"; do
  if [ "$word" = serve ]; then
    # shellcheck disable=SC2046 # Each word of the file is one option.
    exec "$here/node" $(cat "$here/flags") -- "$here/../dist/cli.js" "$@"
  fi
done
exec "$here/node" -- "$here/../dist/cli.js" "$@"
