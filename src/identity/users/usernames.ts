import { refuse, atField, AppError } from '../../errors.ts'
import { readTextList } from '../../storage/columns.ts'
import type { Reader, Trx } from '../../storage/database.ts'
import { accountExists } from './account-state.ts'
import { userErrors } from './user-errors.ts'

/** A name that a UNIX account may have: the username is also a principal of SSH certificates. */
export const USERNAME_PATTERN = '^[a-z_][a-z0-9_-]{0,31}$'
const MAX_LENGTH = 32

/** The name of a system account, which opens more on hosts than its owner's own account. */
const isSystemUsername = (name: string): boolean => RESERVED_USERNAMES.has(name)

/** What a system or an application calls an administrator, also with dashes or underscores: `super-admin`, `_admin`. */
const isAdministratorUsername = (name: string): boolean => ADMINISTRATOR_USERNAMES.has(name.replaceAll(/[-_]/g, ''))

/** Nobody gets such a name by registering or by choosing it. */
export const isReservedUsername = (name: string): boolean => isSystemUsername(name) || isAdministratorUsername(name)

/** A username made of the email's local part. */
export function usernameFromEmail(email: string): string {
  const local = email.slice(0, email.lastIndexOf('@')).toLowerCase()
  const allowed = local
    .replace(/\+.*$/, '')
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  const started = /^[a-z_]/.test(allowed) ? allowed : `u${allowed}`
  return started.slice(0, MAX_LENGTH)
}

/** The first candidate is the name itself, the others are the name with -2, -3, -4 and so on. */
export const withSuffix = (base: string, number: number): string => {
  if (number === 1) return base
  const suffix = `-${number}`
  return base.slice(0, MAX_LENGTH - suffix.length) + suffix
}

/**
 * Names of system accounts: a certificate for one would give access to more than its owner's own account.
 * The system accounts of Debian, Red Hat, Alpine and the BSDs, the defaults of cloud images, and common service accounts.
 */
const RESERVED_USERNAMES: ReadonlySet<string> = new Set(
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

/** The name is not free, and the error says so: whoever gets it for many names is guessing. */
export const isUsernameTaken = (error: unknown): boolean => error instanceof AppError && TAKEN.has(error.reason)

const TAKEN: ReadonlySet<string | undefined> = new Set([
  'username_is_principal',
  'username_recently_given_up',
  'username_taken',
] satisfies (keyof typeof userErrors)[])

export const refuseTakenUsername = (username: string): never =>
  refuse(atField('preferredUsername', userErrors.username_taken({ username })))

/** Who gives the name to somebody, with `users:write`. */
interface Giver {
  isAdministrator: boolean
}

/**
 * SSH certificates give access to the UNIX account that has the same name as the user. So a username can't be that of a
 * system account, nor a principal of a role: its user would have the access of the role without the role. A name that
 * applications take for an administrator's is given by others only; one that is also a system account's, by administrators only.
 */
export async function refuseUnusableUsername(db: Reader, name: string, giver?: Giver): Promise<void> {
  refuseReservedUsername(name, giver)
  await refuseUsernameInUse(db, name)
}

export function refuseReservedUsername(name: string, giver?: Giver): void {
  const isSystem = isSystemUsername(name)
  const isGiven = isAdministratorUsername(name) && giver !== undefined && (!isSystem || giver.isAdministrator)
  if (!isGiven && (isSystem || isAdministratorUsername(name)))
    refuse(atField('preferredUsername', userErrors.username_reserved()))
}

export async function refuseUsernameInUse(db: Reader, name: string): Promise<void> {
  await refusePrincipalOfRole(db, name)
  if ((await listTakenUsernames(db, [name])).has(name)) refuseTakenUsername(name)
}

/** Roles that open UNIX accounts. */
async function listRolesWithPrincipals(db: Reader): Promise<{ name: string; principals: string[] }[]> {
  const rows = await db.selectFrom('roles').select(['name', 'principals']).where('principals', '!=', '[]').execute()
  return rows.map(({ name, principals }) => ({ name, principals: readTextList(principals) }))
}

const findRoleWithPrincipal = async (db: Reader, name: string) =>
  (await listRolesWithPrincipals(db)).find(({ principals }) => principals.includes(name))

/** Whether a role has the name of a user as a principal, as versions before 0.2 allowed. */
export const isPrincipalOfRole = async (db: Reader, username: string): Promise<boolean> =>
  (await findRoleWithPrincipal(db, username)) !== undefined

/** When a role gives a principal of this name, the holders of the role could log in as the user. */
async function refusePrincipalOfRole(db: Reader, username: string): Promise<void> {
  const role = await findRoleWithPrincipal(db, username)
  if (role) throw atField('preferredUsername', userErrors.username_is_principal({ username, role: role.name }))
}

/**
 * The same in the transaction that gives a user this name, and until it ends no role gets the name as a principal. Other
 * users may get names meanwhile.
 */
export async function takeNameFromRoles(trx: Trx, username: string): Promise<void> {
  await names(trx).forKeyShare().execute()
  await refusePrincipalOfRole(trx, username)
}

/** For a role that gets these principals: none may be a username. Until the transaction ends no user gets a new name. */
export async function refuseUsernames(trx: Trx, principals: string[]): Promise<void> {
  if (principals.length === 0) return
  await names(trx).forUpdate().execute()
  const user = await trx
    .selectFrom('users')
    .select(['preferred_username', 'email'])
    .where('preferred_username', 'in', principals)
    .where(accountExists)
    .limit(1)
    .executeTakeFirst()
  if (user) refuse(userErrors.principal_is_username({ principal: user.preferred_username, email: user.email }))
}

const names = (trx: Trx) => trx.selectFrom('counters').select('name').where('name', '=', 'principal_names')

/** Which of these names a user has, or are principals of a role: a username that is one would give what the role gives. */
export async function listTakenUsernames(db: Reader, names: string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('users')
    .select('preferred_username')
    .where('preferred_username', 'in', names)
    .execute()
  const roles = await listRolesWithPrincipals(db)
  return new Set([...rows.map((row) => row.preferred_username), ...roles.flatMap(({ principals }) => principals)])
}
