import { FILE_NAMES, isSetting } from './secret-files.ts'
import { VARIABLES } from './variables.ts'

const NAMES = [...Object.keys(VARIABLES), ...FILE_NAMES]

/** Whatever begins with one of these was meant for this service. Other programs use DATABASE_, MAIL_, LOG_ and DATA_ too. */
const OUR_PREFIXES = ['LATCHKEY_', 'SSH_CERT_', 'ADMIN_BOOTSTRAP_', 'SMTP_', 'S3_']

/** Read by the scripts and examples in deploy/, and what Kubernetes sets for a Service that is called latchkey. */
const NOT_SETTINGS =
  /^LATCHKEY_(URL|ROOT|SITE|UPSTREAMS|SERVICE_(HOST|PORT)(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/
const KUBERNETES_ADDRESS = /^(tcp|udp|sctp):\/\//

/**
 * How many edits still look like a slip. Two edits turn the short names into names that other programs use (HOST into
 * HOME, S3_URL into DB_URL, RP_NAME into APP_NAME, SMTP_URL into SITE_URL), so those get one.
 */
const editsFor = (name: string): number => (name.length <= 8 ? 1 : 2)

/** One sentence for each variable of the environment that looks like a misspelt setting. Values are never shown. */
export function describeMisspelt(environment: Record<string, string | undefined>): string[] {
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (value === '' || isSetting(name) || isForOthers(name, value)) return []
    const hint = hintFor(normalize(name))
    return hint === undefined ? [] : [`${name} is set in the environment, but there is no such setting. ${hint}`]
  })
}

/** What to write instead of a name in `.env`, where every name was meant for us. */
export function hintForUnknown(name: string): string {
  const similar = findSimilar(normalize(name), () => 3)
  return similar === undefined ? 'docs/configuration.md lists all.' : `Did you mean ${similar}?`
}

function isForOthers(name: string, value: string): boolean {
  return NOT_SETTINGS.test(name) || (name === 'LATCHKEY_PORT' && KUBERNETES_ADDRESS.test(value))
}

function hintFor(name: string): string | undefined {
  const similar = findSimilar(name, editsFor)
  if (similar !== undefined) return `Did you mean ${similar}?`
  const prefix = OUR_PREFIXES.find((each) => name.startsWith(each))
  if (prefix === undefined) return undefined
  const family = Object.keys(VARIABLES).filter((each) => each.startsWith(prefix))
  return family.length === 0 ? hintForUnknown(name.slice(prefix.length)) : `Did you mean ${family.join(' or ')}?`
}

const normalize = (name: string): string => name.toUpperCase().replaceAll(/[.-]/g, '_')

/** A slip of two letters hardly ever changes the first one: R2_REGION is no S3_REGION. */
function findSimilar(name: string, allowed: (candidate: string) => number): string | undefined {
  const [nearest] = NAMES.map((candidate) => ({ candidate, edits: editsBetween(name, candidate) }))
    .filter(({ candidate, edits }) => edits <= allowed(candidate) && (edits < 2 || name[0] === candidate[0]))
    .toSorted((one, other) => one.edits - other.edits)
  return nearest?.candidate
}

/** Letters added, left out, replaced, or swapped with their neighbour (optimal string alignment distance). */
function editsBetween(one: string, other: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row++) {
    const current = [row]
    for (let column = 1; column <= other.length; column++) {
      const isSame = one[row - 1] === other[column - 1]
      const isSwapped = row > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      current.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (isSame ? 0 : 1),
          isSwapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
        ),
      )
    }
    beforeLast = last
    last = current
  }
  return last[other.length] ?? 0
}
