#!/bin/sh
# Configures sshd to accept SSH certificates of a Latchkey server. Run it as root; it can be run again at any time:
#
#   LATCHKEY_URL=https://id.example.org sh install.sh
#
#   --allow-managed  lets the server decide which local accounts this host has
#   --allow-sudo     lets roles on the server give sudo here
#   --remove         takes back everything that it did
#
# What is allowed stays so when the installer is run again without these options.
#
# LATCHKEY_ENROLLMENT  a token from the dashboard: the host gets a certificate of its own, and only the accounts that the
#                server lists accept certificates
# LATCHKEY_ROOT  prepare an image in this folder: write the files, and do not change the running sshd and systemd
#
# The order matters. sshd refuses every login when RevokedKeys names a file that it can't read. So everything is fetched and
# checked first, then sshd's configuration is changed, and if sshd refuses it, the change is undone. Nothing that this does makes an
# enrolled host accept more certificates than before.
set -eu
umask 022

root=${LATCHKEY_ROOT:-}
files=$(dirname "$0")
programs=$root/usr/local/sbin
units=$root/etc/systemd/system
ssh_folder=$root/etc/ssh
snippet=$ssh_folder/sshd_config.d/10-latchkey.conf
state=$root/var/lib/latchkey-ssh
settings=$root/etc/latchkey-ssh.env
PROGRAMS='latchkey-ssh-ca latchkey-ssh-session latchkey-ssh-accounts latchkey-ssh-sync'
UNITS='latchkey-ssh-sync.service latchkey-ssh-sync.timer'
# Only where accounts may be managed: it may do more than the others.
ACCOUNTS_UNIT=latchkey-ssh-accounts.service
SERVICE_LINK=multi-user.target.wants/latchkey-ssh-sync.service
TIMER_LINK=timers.target.wants/latchkey-ssh-sync.timer
# What sshd reads, and what may have been there before.
REPLACED='trusted_user_ca.pub revoked_keys ssh_host_ed25519_key-cert.pub sshd_config.d/10-latchkey.conf'

# Not with echo, which in some shells makes control characters of what a server has written with backslashes.
say() { printf '%s\n' "latchkey: $*"; }
fail() {
  printf '%s\n' "latchkey: $*" >&2
  exit 1
}
has_systemd() { [ -z "$root" ] && [ -d /run/systemd/system ]; }
make_private() { [ -d "$1" ] || (umask 077 && mkdir -p "$1"); }
run_program() { LATCHKEY_ROOT=$root "$@"; }

# ---- Before anything is changed

# One at a time: another run would take what this one does for what was here before.
lock() {
  [ -d "$ssh_folder" ] && command -v flock >/dev/null || return 0
  exec 9<"$ssh_folder"
  flock -n 9 || fail 'The installer is already running here. Nothing was changed.'
}

read_options() {
  removes=
  allowed=
  for option in "$@"; do
    case $option in
      --allow-managed) allowed="$allowed accounts" ;;
      --allow-sudo) allowed="$allowed sudo" ;;
      --remove) removes=yes ;;
      *) fail "There is no option $option." ;;
    esac
  done
}

check_host() {
  [ -n "${LATCHKEY_URL:-}" ] || fail 'Set LATCHKEY_URL to the address of the Latchkey server, as in https://id.example.org'
  for tool in curl ssh-keygen awk base64; do
    command -v "$tool" >/dev/null || fail "$tool is needed. Install it and run this again."
  done
  grep -qi '^[[:space:]]*include[[:space:]].*sshd_config\.d/' "$ssh_folder/sshd_config" 2>/dev/null ||
    fail "$ssh_folder/sshd_config does not include sshd_config.d. Add this as its first line and run this again:
  Include /etc/ssh/sshd_config.d/*.conf"
  [ -n "$root" ] || find_sshd
}
find_sshd() {
  sshd=$(command -v sshd || echo /usr/sbin/sshd)
  [ -x "$sshd" ] || fail 'sshd is needed. Install the OpenSSH server and run this again.'
}

# A host is enrolled when it says so itself, or sshd's configuration does, whatever became of its token.
is_enrolled() {
  [ -e "$state/enrolled" ] || [ -e "$state/received" ] || [ -e "$ssh_folder/latchkey_host_token" ] ||
    grep -qs '^AuthorizedPrincipalsFile' "$snippet"
}
check_enrolment() {
  is_enrolled && [ -z "${LATCHKEY_ENROLLMENT:-}" ] && [ ! -e "$state/received" ] || return 0
  server=$(sed -n 1p "$state/enrolled" 2>/dev/null || true)
  host=$(sed -n 2p "$state/enrolled" 2>/dev/null || true)
  [ -n "$server" ] || server=$(sed -n "s/^LATCHKEY_URL='\(.*[^/]\)\/*'$/\1/p" "$settings" 2>/dev/null || true)
  line="Get a new line for it${host:+ (id $host)} on the dashboard, with New token under Administration, Hosts. Nothing was changed."
  [ -r "$ssh_folder/latchkey_host_token" ] || fail "This host was enrolled${server:+ at $server}, and its token is gone. $line"
  [ -z "$server" ] || [ "$server" = "${LATCHKEY_URL%/}" ] ||
    fail "This host is enrolled at $server. To enrol it at $LATCHKEY_URL, get a line for it there. Nothing was changed."
}

# ---- What was here before, for --remove

# Remembered once, before the first change. An older version of this has left its own files, which are not to come back.
remember_before() {
  [ ! -d "$state/before" ] || return 0
  made=
  for each in "$root/usr/local/sbin" "$root/usr/local" "$units/multi-user.target.wants" "$units/timers.target.wants" "$units" \
    "$root/etc/systemd" "$ssh_folder/sshd_config.d" "$root/usr" "$root/run" "$root/var/lib" "$root/var"; do
    [ -d "$each" ] || made="$made${each#"$root"}
"
  done
  make_private "$state"
  rm -rf "$state/before.new"
  mkdir "$state/before.new"
  printf '%s' "$made" >"$state/before.new/made-folders"
  if ! is_our_snippet; then
    for each in $REPLACED; do
      [ ! -e "$ssh_folder/$each" ] || cp -p "$ssh_folder/$each" "$state/before.new/${each##*/}"
    done
  fi
  mv "$state/before.new" "$state/before"
}
is_our_snippet() { grep -qs "^# Written by Latchkey's installer" "$snippet"; }
# Where the first attempt has failed there is nothing to take back.
forget_before() {
  if [ ! -e "$state/user-ca" ] && ! is_enrolled && ! is_our_snippet; then
    made=$(cat "$state/before/made-folders")
    rm -rf "$state"
    remove_made
  fi
}
remove_made() {
  printf '%s\n' "$made" | while IFS= read -r each; do
    [ -z "$each" ] || rmdir "$root$each" 2>/dev/null || true
  done
}

# ---- Changes

allow() {
  [ -n "$allowed" ] || [ -s "$state/allowed" ] || return 0
  make_private "$state"
  {
    cat "$state/allowed" 2>/dev/null || true
    for each in $allowed; do echo "$each"; done
  } | sort -u >"$state/allowed.new"
  mv -f "$state/allowed.new" "$state/allowed"
  if [ -n "$allowed" ]; then
    say "The server may decide here about: $(paste -s -d ' ' "$state/allowed")."
  else
    say "As allowed before, the server may decide here about: $(paste -s -d ' ' "$state/allowed")."
  fi
}

put() {
  mkdir -p "$(dirname "$2")"
  cp "$files/$1" "$2.new"
  chmod "$3" "$2.new"
  mv -f "$2.new" "$2"
}
# A version may lack one of these.
put_programs() {
  for each in $PROGRAMS; do [ ! -e "$files/$each" ] || put "$each" "$programs/$each" 0755; done
}

write_snippet() {
  cat <<'END'
# Written by Latchkey's installer. latchkey-ssh-sync keeps both files current.
TrustedUserCAKeys /etc/ssh/trusted_user_ca.pub
RevokedKeys /etc/ssh/revoked_keys
END
  ! is_enrolled || cat <<'END'
HostCertificate /etc/ssh/ssh_host_ed25519_key-cert.pub
AuthorizedPrincipalsFile /etc/ssh/latchkey_principals/%u
END
}
# An empty file stands for none.
keep_snippet() {
  if [ -e "$snippet" ]; then cp -p "$snippet" "$state/snippet.new"; else : >"$state/snippet.new"; fi
  mv -f "$state/snippet.new" "$state/snippet-before"
}
undo_snippet() {
  if [ -s "$state/snippet-before" ]; then mv -f "$state/snippet-before" "$snippet"; else rm -f "$snippet" "$state/snippet-before"; fi
  fail "$*"
}
configure_sshd() {
  mkdir -p "$(dirname "$snippet")"
  # Of a run that was killed before sshd had accepted its change: that change is not to come back.
  [ -e "$state/snippet-before" ] || keep_snippet
  write_snippet >"$snippet.new"
  chmod 0644 "$snippet.new"
  if [ -z "$root" ]; then
    mkdir -p /run/sshd
    # The new lines count before those of the same name that sshd reads later.
    { cat "$snippet.new" && echo 'Include /etc/ssh/sshd_config'; } >"$state/sshd_config"
    "$sshd" -t -f "$state/sshd_config" || {
      rm -f "$snippet.new" "$state/sshd_config" "$state/snippet-before"
      fail 'sshd does not accept its configuration, so it was not changed. Its message is above.'
    }
    rm -f "$state/sshd_config"
  fi
  mv -f "$snippet.new" "$snippet"
  [ -n "$root" ] || check_sshd
  rm -f "$state/snippet-before"
}
check_sshd() {
  "$sshd" -t || undo_snippet 'sshd does not accept its configuration, so the change was undone. Its message is above.'
  effective=$("$sshd" -T -C user=root,host=localhost,addr=127.0.0.1 2>/dev/null || true)
  set -- 'trustedusercakeys /etc/ssh/trusted_user_ca.pub' 'revokedkeys /etc/ssh/revoked_keys'
  ! is_enrolled || set -- "$@" 'authorizedprincipalsfile /etc/ssh/latchkey_principals/%u'
  for line in "$@"; do
    printf '%s\n' "$effective" | grep -qx "$line" ||
      undo_snippet "Another part of sshd's configuration sets ${line%% *}, so the change was undone. Remove that part and run this again."
  done
  ! is_enrolled || printf '%s\n' "$effective" | grep -qx 'hostkey /etc/ssh/ssh_host_ed25519_key' || {
    say "sshd does not use this host's Ed25519 key, which its certificate is for, because HostKey in its configuration names others."
    say 'Until you add the line HostKey /etc/ssh/ssh_host_ed25519_key there, ssh asks people about the key of this host.'
  }
}

# A line in the configuration of PAM, through which sessions are known that are open when their certificate is revoked.
install_sessions() {
  [ ! -x "$programs/latchkey-ssh-session" ] || run_program "$programs/latchkey-ssh-session" install ||
    say 'The line in PAM could not be added, so that open sessions are not ended.'
}

start_service() {
  for each in $UNITS; do put "$each" "$units/$each" 0644; done
  ! grep -qsx accounts "$state/allowed" || put "$ACCOUNTS_UNIT" "$units/$ACCOUNTS_UNIT" 0644
  if has_systemd; then
    systemctl daemon-reload
    systemctl enable --now latchkey-ssh-sync.timer
    systemctl enable latchkey-ssh-sync.service
    systemctl restart latchkey-ssh-sync.service
  elif [ -n "$root" ]; then
    for link in "$SERVICE_LINK" "$TIMER_LINK"; do
      mkdir -p "$units/${link%/*}"
      ln -sf "../${link##*/}" "$units/$link"
    done
  fi
}
# Reads the configuration of sshd again, where it runs.
reload_sshd() {
  if has_systemd; then
    for unit in ssh sshd; do
      if systemctl is-active --quiet "$unit"; then systemctl reload "$unit"; fi
    done
  elif [ -z "$root" ] && [ -r /run/sshd.pid ]; then
    kill -HUP "$(cat /run/sshd.pid)"
  fi
}

# ---- At the end

check_result() {
  run_program "$programs/latchkey-ssh-sync" || fail 'Everything is in place, but the server could not be followed. Its message is above; run this again.'
  if has_systemd; then
    systemctl is-active --quiet latchkey-ssh-sync.service ||
      fail 'Everything is in place, but latchkey-ssh-sync.service does not run: systemctl status latchkey-ssh-sync'
    say 'This host is set up. Revocations arrive within seconds: systemctl status latchkey-ssh-sync'
  elif [ -n "$root" ]; then
    say "$root is prepared."
  else
    say 'sshd is set up, but there is no systemd here. Keep this running:'
    say '  /usr/local/sbin/latchkey-ssh-sync --wait'
    say 'or let cron run the sync:'
    say '  * * * * * root /usr/local/sbin/latchkey-ssh-sync'
  fi
}

# ---- Taking it back. Each step can be repeated, and what the next run needs goes last.

remove_all() {
  if [ -e "$state.removed" ] && [ ! -e "$state" ]; then
    finish_removal
    return
  fi
  # This host may have a file of its own under the name of the snippet.
  is_our_snippet || [ -e "$state" ] || [ -e "$settings" ] || [ -e "$programs/latchkey-ssh-sync" ] ||
    fail 'Latchkey is not installed here.'
  if [ -x "$programs/latchkey-ssh-accounts" ]; then
    run_program "$programs/latchkey-ssh-accounts" remove || fail 'The accounts that Latchkey made could not be locked. Nothing else was changed.'
  fi
  if has_systemd; then
    for each in latchkey-ssh-sync.timer latchkey-ssh-sync.service; do
      [ ! -e "$units/$each" ] || systemctl disable --now "$each"
    done
  elif [ -z "$root" ]; then
    stop_sync
  fi
  # sshd must stop reading the lists before they are removed.
  put_back sshd_config.d/10-latchkey.conf
  if [ -z "$root" ]; then
    find_sshd
    mkdir -p /run/sshd
    "$sshd" -t || fail 'sshd does not accept its configuration without that of Latchkey. Its message is above. Correct it and run this again.'
    reload_sshd
  fi
  if [ -x "$programs/latchkey-ssh-session" ]; then run_program "$programs/latchkey-ssh-session" remove; fi
  for each in trusted_user_ca.pub revoked_keys ssh_host_ed25519_key-cert.pub; do put_back "$each"; done
  rm -rf "$ssh_folder/latchkey_principals" "$ssh_folder/latchkey_host_token" "$ssh_folder"/.latchkey.*
  remove_host_key
  for each in $UNITS $ACCOUNTS_UNIT; do rm -f "$units/$each" "$units/$each.new"; done
  rm -f "$units/$SERVICE_LINK" "$units/$TIMER_LINK"
  ! has_systemd || systemctl daemon-reload
  for each in $PROGRAMS; do rm -f "$programs/$each" "$programs/$each.new"; done
  rm -rf "$settings" "$settings.new" "$root/run/latchkey-ssh"
  # At once: a part of it would tell the next run that nothing had been here before.
  rm -rf "$state.removed"
  [ ! -e "$state" ] || mv "$state" "$state.removed"
  finish_removal
}
finish_removal() {
  made=$(cat "$state.removed/before/made-folders" 2>/dev/null || true)
  remove_made
  rm -rf "$state.removed"
  remove_made
  say 'Everything was taken back. The host is still listed on the server: delete it there too, under Administration, Hosts.'
}
# What this host had under that name before, or nothing.
put_back() {
  rm -f "$ssh_folder/$1.new"
  if [ -e "$state/before/${1##*/}" ]; then
    cmp -s "$state/before/${1##*/}" "$ssh_folder/$1" || {
      cp -p "$state/before/${1##*/}" "$ssh_folder/$1.new"
      mv -f "$ssh_folder/$1.new" "$ssh_folder/$1"
    }
  else
    rm -f "$ssh_folder/$1"
  fi
}
# The key that was made here for the certificate, unless sshd would have no other one.
remove_host_key() {
  [ -s "$state/made" ] || return 0
  rm -f "$ssh_folder/ssh_host_ed25519_key.new"
  for each in "$ssh_folder"/ssh_host_*_key; do
    if [ "$each" = "$ssh_folder/ssh_host_ed25519_key" ] || [ ! -e "$each" ]; then continue; fi
    rm -f "$ssh_folder/ssh_host_ed25519_key" "$ssh_folder/ssh_host_ed25519_key.pub"
    return
  done
  say "$ssh_folder/ssh_host_ed25519_key was made for Latchkey and stays, since sshd has no other key."
}
# Where something else than systemd keeps it running. The process of this id reports for another one, which is its parent.
stop_sync() {
  pid=$(cat /run/latchkey-ssh/sync.pid 2>/dev/null || true)
  [ -n "$pid" ] && grep -qs latchkey-ssh-sync "/proc/$pid/cmdline" || return 0
  parent=$(sed -n 's/^PPid:[[:space:]]*//p' "/proc/$pid/status")
  ! grep -qs latchkey-ssh-sync "/proc/$parent/cmdline" || kill "$parent"
}

read_options "$@"
[ -n "$root" ] || [ "$(id -u)" -eq 0 ] || fail 'This must be run as root.'
lock
if [ -n "$removes" ]; then
  remove_all
  exit
fi
check_host
check_enrolment
# Fetches and checks everything, and puts it in place. It also refuses an address without TLS.
remember_before
LATCHKEY_ENROLLMENT=${LATCHKEY_ENROLLMENT:-} LATCHKEY_URL=$LATCHKEY_URL LATCHKEY_ROOT=$root \
  sh "$files/latchkey-ssh-sync" --install || {
  forget_before
  fail 'sshd was not changed.'
}
unset LATCHKEY_ENROLLMENT LATCHKEY_URL
say "It trusts the CA $(ssh-keygen -l -f "$ssh_folder/trusted_user_ca.pub" | cut -d ' ' -f 2 | paste -s -d ' ' -)."
allow
put_programs
configure_sshd
install_sessions
start_service
reload_sshd
check_result
# From here on the line that has enrolled this host is refused as used.
rm -f "$state/unfinished"
