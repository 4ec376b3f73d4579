import { ACRS, type Acr, isEnough, isStronger } from '../../vocabulary/sign-in-methods.ts'
import type { Client } from './client.ts'

/** What an application, or a site, demands of everybody who signs in to it. */
type Demands = Pick<Client, 'requiredAcr' | 'maxAuthAge'>

/** Whether a sign-in is weaker than an application demands. */
export const fallsShort = ({ requiredAcr }: Pick<Demands, 'requiredAcr'>, { acr }: { acr: string }): boolean =>
  requiredAcr !== null && !isEnough(acr, requiredAcr)

/** Whether it is longer ago than an application demands. `authTime` is in milliseconds. */
export const isTooOld = ({ maxAuthAge }: Pick<Demands, 'maxAuthAge'>, authTime: number, now: number): boolean =>
  maxAuthAge !== null && now - authTime > maxAuthAge * 1000

/** What a sign-in has to be. Each list is met by one of its values, or by a stronger one. */
export interface AcrDemands {
  /** Of the application. */
  required: Acr | null
  /** Of an essential claim in the request (OpenID Connect Core 5.5.1.1). */
  essential: readonly string[] | undefined
  /** Of `acr_values`, which ask for it where it can be had. */
  wanted: readonly string[]
}

/** Whether nothing is missing, so that nobody needs to know what the person is capable of. */
export const isStrongEnough = ({ required, essential, wanted }: AcrDemands, acr: Acr): boolean =>
  !fallsShort({ requiredAcr: required }, { acr }) &&
  (essential === undefined || meetsOneOf(essential, acr)) &&
  (wanted.length === 0 || meetsOneOf(wanted, acr))

/**
 * What somebody with a sign-in of this strength has to prove in addition, who is capable of `strongest`. Undefined: nothing; `unmet`:
 * what is demanded can't be had.
 */
export function missingAcr(
  { required, essential, wanted }: AcrDemands,
  acr: Acr,
  strongest: Acr,
): Acr | 'unmet' | undefined {
  const needed: (Acr | undefined)[] = []
  if (required !== null && isStronger(required, acr))
    needed.push(isStronger(required, strongest) ? undefined : required)
  if (essential && !meetsOneOf(essential, acr)) needed.push(weakestOf(essential, strongest))
  if (needed.includes(undefined)) return 'unmet'
  if (wanted.length > 0 && !meetsOneOf(wanted, acr)) needed.push(weakestOf(wanted, strongest))
  return ACRS.findLast((each) => needed.includes(each))
}

const meetsOneOf = (values: readonly string[], acr: Acr): boolean => values.some((value) => isEnough(acr, value))

/** The least that meets one of the values, for somebody who is capable of no more than `strongest`. */
const weakestOf = (values: readonly string[], strongest: Acr): Acr | undefined =>
  ACRS.find((each) => values.includes(each) && !isStronger(each, strongest))
