import { stepUpWithReturn } from '../paths.ts'

/** Goes where what a role demands is proved or set up, and then comes back to this very page. */
export function leaveForStepUp(): Promise<never> {
  location.replace(stepUpWithReturn(location.pathname + location.search + location.hash))
  return new Promise(() => undefined)
}
