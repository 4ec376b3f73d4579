import { refuse } from '../../errors.ts'
import type { PrincipalGroup } from '../../identity/access/principal-groups.ts'
import { MAX_PRINCIPALS } from '../../platform/openssh/certificate.ts'

interface Choice {
  username: string
  /** What the request names; undefined when it leaves the choice to us. */
  principals: string[] | undefined
  /** Whether the key is in a security key. */
  isSecurityKey: boolean
}

/** What a certificate may name, and its rules: the group that the request names, or else the one with the username. */
export function chooseGroup(groups: PrincipalGroup[], { username, principals, isSecurityKey }: Choice): PrincipalGroup {
  // A certificate without principals would open every account there is.
  if (groups.length === 0) {
    refuse(
      'conflict',
      'There is no UNIX account that you may log in as. Ask an administrator for a username, or for a role with principals.',
    )
  }
  const wanted = principals ?? (groups.some((group) => group.principals.includes(username)) ? [username] : [])
  const found = groups.filter((group) => wanted.every((name) => group.principals.includes(name)))
  if (found.length === 0) refuseMixture(groups, wanted)
  // sshd ignores the option verify-required of a key that is not in a security key.
  const usable = found.find(({ rules }) => isSecurityKey || !rules.verifyRequired)
  if (!usable) {
    return refuse(
      'conflict',
      `The role ${found[0]?.roles.join(', ')} needs a key in a security key: ssh-keygen -t ed25519-sk.`,
    )
  }
  const chosen = principals ? usable.principals.filter((name) => principals.includes(name)) : usable.principals
  if (chosen.length > MAX_PRINCIPALS) {
    refuse(
      'conflict',
      `Your roles add up to ${chosen.length} principals, and a certificate holds ${MAX_PRINCIPALS}. Request some of them.`,
    )
  }
  return { ...usable, principals: chosen }
}

function refuseMixture(groups: PrincipalGroup[], wanted: string[]): never {
  const givers = wanted.map((name) => ({
    name,
    roles: groups.filter(({ principals }) => principals.includes(name)).flatMap(({ roles }) => roles),
  }))
  const foreign = givers.filter(({ roles }) => roles.length === 0).map(({ name }) => name)
  if (foreign.length > 0) refuse('forbidden', `No role of yours gives you ${foreign.join(', ')}.`)
  const listed = givers.map(({ name, roles }) => `${name} (${roles.join(', ')})`)
  return refuse(
    'conflict',
    `These are given by roles with different rules, so they need certificates of their own: ${listed.join('; ')}.`,
  )
}
