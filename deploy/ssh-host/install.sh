#!/bin/sh
# Configures sshd to accept SSH certificates of a Latchkey server. Run it as root; it can be run again at any time:
#
#   LATCHKEY_URL=https://id.example.org sh install.sh
#
# LATCHKEY_ENROLLMENT  a token from the dashboard: the host gets a certificate of its own, and only the accounts that the
#                server lists accept certificates
# LATCHKEY_ROOT  prepare an image in this folder: write the files, and do not change the running sshd and systemd
#
# The order matters. sshd refuses every login when RevokedKeys names a file that it can't read. So the files are fetched and
# checked first, then sshd's configuration is changed, and if sshd refuses it, the change is undone.
set -eu
umask 022

root=${LATCHKEY_ROOT:-}
files=$(dirname "$0")
snippet=$root/etc/ssh/sshd_config.d/10-latchkey.conf

say() { echo "latchkey: $*"; }
fail() {
  echo "latchkey: $*" >&2
  exit 1
}

[ -n "${LATCHKEY_URL:-}" ] || fail 'Set LATCHKEY_URL to the address of the Latchkey server, as in https://id.example.org'
[ -n "$root" ] || [ "$(id -u)" -eq 0 ] || fail 'This must be run as root.'
for tool in curl ssh-keygen; do
  command -v "$tool" >/dev/null || fail "$tool is needed. Install it and run this again."
done
grep -qi '^[[:space:]]*include[[:space:]].*sshd_config\.d/' "$root/etc/ssh/sshd_config" 2>/dev/null ||
  fail "$root/etc/ssh/sshd_config does not include sshd_config.d. Add this as its first line and run this again:
  Include /etc/ssh/sshd_config.d/*.conf"
if [ -z "$root" ]; then
  sshd=$(command -v sshd || echo /usr/sbin/sshd)
  [ -x "$sshd" ] || fail 'sshd is needed. Install the OpenSSH server and run this again.'
fi

put() {
  mkdir -p "$(dirname "$root$2")"
  cp "$files/$1" "$root$2.new"
  chmod "$3" "$root$2.new"
  mv -f "$root$2.new" "$root$2"
}

# 1. The sync script, and its first run. It also refuses an address without TLS.
put latchkey-ssh-sync /usr/local/sbin/latchkey-ssh-sync 0755
put latchkey-ssh-session /usr/local/sbin/latchkey-ssh-session 0755
LATCHKEY_URL=$LATCHKEY_URL LATCHKEY_ROOT=$root "$root/usr/local/sbin/latchkey-ssh-sync" ||
  fail 'The first fetch has failed, so sshd was not changed.'
token=$root/etc/ssh/latchkey_host_token
if [ -n "${LATCHKEY_ENROLLMENT:-}" ]; then
  export LATCHKEY_ENROLLMENT
  LATCHKEY_URL=$LATCHKEY_URL LATCHKEY_ROOT=$root "$root/usr/local/sbin/latchkey-ssh-sync" --enroll ||
    fail 'This host was not enrolled, so sshd was not changed.'
  unset LATCHKEY_ENROLLMENT
  LATCHKEY_URL=$LATCHKEY_URL LATCHKEY_ROOT=$root "$root/usr/local/sbin/latchkey-ssh-sync" ||
    fail 'The accounts of this host could not be fetched, so sshd was not changed.'
fi
printf "LATCHKEY_URL='%s'\n" "$LATCHKEY_URL" >"$root/etc/latchkey-ssh.env.new"
mv -f "$root/etc/latchkey-ssh.env.new" "$root/etc/latchkey-ssh.env"
say "It trusts the CA $(ssh-keygen -l -f "$root/etc/ssh/trusted_user_ca.pub" | cut -d ' ' -f 2)."

# 2. The configuration of sshd, which reads both files again at every login.
mkdir -p "$(dirname "$snippet")"
before=$(cat "$snippet" 2>/dev/null || true)
undo() {
  if [ -n "$before" ]; then printf '%s\n' "$before" >"$snippet"; else rm -f "$snippet"; fi
  fail "$*"
}
cat >"$snippet" <<'END'
# Written by Latchkey's installer. latchkey-ssh-sync keeps both files current.
TrustedUserCAKeys /etc/ssh/trusted_user_ca.pub
RevokedKeys /etc/ssh/revoked_keys
END
if [ -r "$token" ]; then
  cat >>"$snippet" <<'END'
HostCertificate /etc/ssh/ssh_host_ed25519_key-cert.pub
AuthorizedPrincipalsFile /etc/ssh/latchkey_principals/%u
END
fi
chmod 0644 "$snippet"
if [ -z "$root" ]; then
  mkdir -p /run/sshd
  "$sshd" -t || undo 'sshd does not accept its configuration, so the change was undone. Its message is above.'
  effective=$("$sshd" -T -C user=root,host=localhost,addr=127.0.0.1 2>/dev/null || true)
  set -- 'trustedusercakeys /etc/ssh/trusted_user_ca.pub' 'revokedkeys /etc/ssh/revoked_keys'
  [ ! -r "$token" ] || set -- "$@" 'authorizedprincipalsfile /etc/ssh/latchkey_principals/%u'
  for line in "$@"; do
    echo "$effective" | grep -qx "$line" ||
      undo "Another part of sshd's configuration sets ${line%% *}, so the change was undone. Remove that part and run this again."
  done
fi

# 3. PAM, through which sessions are known that are open when their certificate is revoked.
LATCHKEY_ROOT=$root "$root/usr/local/sbin/latchkey-ssh-session" install ||
  say 'The line in PAM could not be added, so that open sessions are not ended.'

# 4. The service, which waits for changes, and a timer that starts it again should it have ended.
put latchkey-ssh-sync.service /etc/systemd/system/latchkey-ssh-sync.service 0644
put latchkey-ssh-sync.timer /etc/systemd/system/latchkey-ssh-sync.timer 0644
if [ -n "$root" ]; then
  for wants in multi-user.target.wants/latchkey-ssh-sync.service timers.target.wants/latchkey-ssh-sync.timer; do
    mkdir -p "$root/etc/systemd/system/${wants%/*}"
    ln -sf "../${wants##*/}" "$root/etc/systemd/system/$wants"
  done
  say "$root is prepared."
elif [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  systemctl enable --now latchkey-ssh-sync.timer
  systemctl enable latchkey-ssh-sync.service
  systemctl restart latchkey-ssh-sync.service
  for unit in ssh sshd; do
    if systemctl is-active --quiet "$unit"; then systemctl reload "$unit"; fi
  done
  say 'This host is set up. Revocations arrive within seconds: systemctl status latchkey-ssh-sync'
else
  say 'sshd is set up, but there is no systemd here. Reload sshd, and keep this running:'
  say '  /usr/local/sbin/latchkey-ssh-sync --wait'
  say 'or let cron run the sync:'
  say '  * * * * * root /usr/local/sbin/latchkey-ssh-sync'
fi
