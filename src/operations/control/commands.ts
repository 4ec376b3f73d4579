import type { IdentityServices } from '../../identity/access-events.ts'
import { removeLostApp } from '../../identity/lifecycle/end-access.ts'
import { grantAdministrator } from '../../identity/manage-roles/make-administrator.ts'
import { makeRecoveryLink } from '../../identity/sign-in/set-up-links.ts'
import { publishNextKey, retirePreviousKeys, rotateAtOnce } from '../../platform/keys/rotate-signing-key.ts'
import { advanceSshCa, publishNextSshCa, retirePreviousSshCa } from '../../platform/keys/rotate-ssh-ca.ts'
import { HOST_CERTIFICATE_SECONDS } from '../../ssh/hosts/enroll-host.ts'

const ROTATIONS = ['publish', 'at-once', 'retire-previous'] as const

/** What the command line can do: through the running service, or on services that it opens itself. */
export type Command =
  | { name: 'grant-administrator'; email: string }
  | { name: 'recover'; email: string }
  | { name: 'remove-app'; email: string }
  | { name: 'rotate-keys'; how: (typeof ROTATIONS)[number] }
  | { name: 'rotate-ssh-ca'; of?: 'hosts'; how: 'publish'; trustedForMs: number }
  | { name: 'rotate-ssh-ca'; of?: 'hosts'; how: 'retire-previous' }

type CommandServices = Pick<
  IdentityServices,
  'config' | 'db' | 'now' | 'random' | 'vault' | 'signals' | 'sshCa' | 'sshHostCa' | 'accessSubscribers'
>

/** Runs the command, and returns a sentence on what was done. */
export async function runCommand(services: CommandServices, command: Command): Promise<string> {
  if (command.name === 'grant-administrator') {
    const { granted, email } = await grantAdministrator(services, command.email)
    return granted ? `${email} is an administrator now.` : `${email} was an administrator already.`
  }
  if (command.name === 'recover')
    return `Sign in as ${command.email}, and open this within a day:\n${await makeRecoveryLink(services, command.email)}`
  if (command.name === 'remove-app') {
    const { removed, email } = await removeLostApp(services, command.email)
    return removed
      ? `The authenticator app of ${email} is removed: the password alone signs in.`
      : `${email} has no authenticator app.`
  }
  if (command.name === 'rotate-ssh-ca') return rotateSshCa(services, command)
  if (command.how === 'retire-previous') {
    const retired = await retirePreviousKeys(services)
    return retired.length === 0 ? 'There was no earlier key.' : `Withdrawn: ${retired.join(', ')}.`
  }
  if (command.how === 'publish') return `${await publishNextKey(services)} is published. In ten minutes it signs.`
  return `${await rotateAtOnce(services)} signs from now on.`
}

async function rotateSshCa(
  services: CommandServices,
  command: Extract<Command, { name: 'rotate-ssh-ca' }>,
): Promise<string> {
  const isOfHosts = command.of === 'hosts'
  const [purpose, authority, seconds] = isOfHosts
    ? (['ssh-host-ca', services.sshHostCa, HOST_CERTIFICATE_SECONDS] as const)
    : (['ssh-ca', services.sshCa, services.config.sshCertMaxTtl] as const)
  const who = isOfHosts ? 'People' : 'Hosts'
  if (command.how === 'retire-previous') {
    const retired = await retirePreviousSshCa(services, purpose)
    await authority.reload()
    return retired.length === 0
      ? 'There was no earlier CA key.'
      : `Withdrawn: ${retired.join(', ')}. ${who} no longer trust it.`
  }
  const { id, signAt } = await publishNextSshCa(services, purpose, command)
  await advanceSshCa(services, purpose, seconds)
  await authority.reload()
  if (authority.id === id)
    return `${id} signs from now on. ${who} trust the earlier key until its certificates have expired.`
  return `${id} is published, and ${who.toLowerCase()} trust both keys. It signs from ${new Date(signAt).toISOString()} on.`
}

/** Parses a line; undefined when it is no command. */
export function readCommand(line: string): Command | undefined {
  try {
    const { name, email, how, trustedForMs, of } = JSON.parse(line) as Record<string, unknown>
    if (name === 'grant-administrator' && typeof email === 'string') return { name, email }
    if (name === 'recover' && typeof email === 'string') return { name, email }
    if (name === 'remove-app' && typeof email === 'string') return { name, email }
    const rotation = ROTATIONS.find((each) => each === how)
    if (of !== undefined && of !== 'hosts') return undefined
    const whose = of === undefined ? {} : { of: 'hosts' as const }
    if (name === 'rotate-ssh-ca' && how === 'retire-previous') return { name, ...whose, how }
    if (name === 'rotate-ssh-ca' && how === 'publish' && typeof trustedForMs === 'number')
      return { name, ...whose, how, trustedForMs }
    if (name === 'rotate-keys' && rotation) return { name, how: rotation }
  } catch {
    // Not JSON.
  }
  return undefined
}
