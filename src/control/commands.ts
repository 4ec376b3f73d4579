import { publishNextKey, retirePreviousKeys, rotateAtOnce } from '../keys/rotate-signing-key.ts'
import { grantAdministrator } from '../roles/grant-administrator.ts'
import type { Services } from '../services.ts'

const ROTATIONS = ['publish', 'at-once', 'retire-previous'] as const

/** What the command line can do: through the running service, or on services that it opens itself. */
export type Command =
  | { name: 'grant-administrator'; email: string }
  | { name: 'rotate-keys'; how: (typeof ROTATIONS)[number] }

type Needs = Pick<Services, 'db' | 'now' | 'vault' | 'signals'>

/** Runs the command, and returns a sentence on what was done. */
export async function runCommand(services: Needs, command: Command): Promise<string> {
  if (command.name === 'grant-administrator') {
    const { granted, email } = await grantAdministrator(services, command.email)
    return granted ? `${email} is an administrator now.` : `${email} was an administrator already.`
  }
  if (command.how === 'retire-previous') {
    const retired = await retirePreviousKeys(services)
    return retired.length === 0 ? 'There was no earlier key.' : `Withdrawn: ${retired.join(', ')}.`
  }
  if (command.how === 'publish') return `${await publishNextKey(services)} is published. In ten minutes it signs.`
  return `${await rotateAtOnce(services)} signs from now on.`
}

/** Parses a line; undefined when it is no command. */
export function readCommand(line: string): Command | undefined {
  try {
    const { name, email, how } = JSON.parse(line) as Record<string, unknown>
    if (name === 'grant-administrator' && typeof email === 'string') return { name, email }
    const rotation = ROTATIONS.find((each) => each === how)
    if (name === 'rotate-keys' && rotation) return { name, how: rotation }
  } catch {
    // Not JSON.
  }
  return undefined
}
