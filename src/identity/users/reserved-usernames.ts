/**
 * Names of system accounts: a certificate for one would give access to more than its owner's own account.
 * The system accounts of Debian, Red Hat, Alpine and the BSDs, the defaults of cloud images, and common service accounts.
 */
export const RESERVED_USERNAMES: ReadonlySet<string> = new Set(
  `root toor admin sudo wheel daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc
  gnats nobody nogroup messagebus sshd _apt operator ftp dbus polkitd avahi rpc rpcuser nfsnobody chrony ntp tss named
  postfix postgres mysql mariadb redis mongodb nginx apache httpd haproxy squid bind unbound dnsmasq tcpdump usbmux
  systemd systemd-network systemd-resolve systemd-timesync systemd-coredump systemd-oom systemd-journal uuidd syslog
  landscape fwupd-refresh lxd lxc docker podman containerd kubernetes kubelet k3s etcd consul vault nomad prometheus grafana
  jenkins git gitlab-runner gitea svn ansible puppet chef vagrant halt shutdown adm lpd smmsp smmta nuucp listen noaccess
  kmem tty disk audio video floppy cdrom tape dialout plugdev staff users shadow utmp input kvm render sgx crontab
  ubuntu debian ec2-user centos fedora rocky almalinux cloud-user cloud-init azureuser opc core rhel arch alpine suse
  freebsd bitnami pi dietpi user guest test oracle hadoop spark kafka zookeeper elasticsearch logstash kibana rabbitmq
  memcached tomcat jetty wildfly ldap openldap dovecot exim debian-exim courier cyrus vmail saned colord geoclue pulse
  rtkit gdm lightdm sddm hplip speech-dispatcher whoopsie kernoops nm-openvpn openvpn strongswan wireguard tor i2p
  latchkey`.split(/\s+/),
)

/**
 * What systems and applications call an administrator, or whoever speaks for the service: an application that is told such a
 * username may give its bearer more than others, and people may trust it. docs/usernames.md has the same list.
 */
export const ADMINISTRATOR_USERNAMES: ReadonlySet<string> = new Set(
  `admin admins administrator administrators superadmin superadministrator superuser supervisor sysadmin sysop rootadmin
  adminroot adminuser akadmin kcadmin ldapadmin dbadmin dba siteadmin webadmin netadmin serveradmin localadmin domainadmin
  globaladmin orgadmin appadmin itadmin secadmin cloudadmin masteradmin moderator owner siteowner webmaster hostmaster
  postmaster abuse security noreply support helpdesk servicedesk system manager su`.split(/\s+/),
)
