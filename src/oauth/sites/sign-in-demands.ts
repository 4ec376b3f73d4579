import { type Acr, isStronger } from '../../vocabulary/sign-in-methods.ts'

/** What an application or a site demands of a sign-in. Null, or absent in what earlier versions remembered: nothing. */
export interface SignInDemands {
  requiredAcr?: Acr | null
  /** In seconds. */
  maxAuthAge?: number | null
}

/** Whether a sign-in is enough for the one that is not enough for the other: a weaker one, or one of longer ago. */
export const demandsLess = (one: SignInDemands, other: SignInDemands): boolean =>
  isStronger(other.requiredAcr ?? '1', one.requiredAcr ?? '1') ||
  (one.maxAuthAge ?? Infinity) > (other.maxAuthAge ?? Infinity)
