import { useEffect, useState } from 'react'
import type { Verdict } from '../../../src/identity/password-strength/assess-password.ts'
import { type PersonalDetails, personalWords } from '../../../src/identity/password-strength/personal-words.ts'

type Assess = (password: string, personal: string[]) => Verdict

let loading: Promise<Assess> | undefined

/** The server's own rule with its dictionaries. They are large, and few visitors choose a password: loaded when one does. */
function loadRule(): Promise<Assess> {
  loading ??= Promise.all([
    import('../../../src/identity/password-strength/assess-password.ts'),
    import('../../../src/identity/password-strength/load-estimator.ts').then(({ loadEstimator }) => loadEstimator()),
  ]).then(
    ([{ assessPassword }, estimate]): Assess =>
      (password, personal) =>
        assessPassword(estimate, password.normalize('NFKC'), personal),
  )
  // After a failure, such as a lost connection, the next call tries again.
  loading.catch(() => (loading = undefined))
  return loading
}

/** Long enough not to assess at every key, short enough to seem immediate. */
const PAUSE_MS = 150

/** The server's verdict on this password. Undefined while it is too short, or not known yet. */
export function usePasswordVerdict(password: string, person: PersonalDetails): Verdict | undefined {
  const [known, setKnown] = useState<{ input: string; verdict: Verdict }>()
  const personal = personalWords(person, location.hostname)
  const isLongEnough = Array.from(password).length >= 8
  const input = JSON.stringify([password, personal])

  useEffect(() => {
    if (password !== '') void loadRule().catch(() => undefined)
  }, [password])

  useEffect(() => {
    if (!isLongEnough) return undefined
    let isCurrent = true
    const pause = setTimeout(() => {
      const [text, words] = JSON.parse(input) as [string, string[]]
      void loadRule()
        .then((assess) => isCurrent && setKnown({ input, verdict: assess(text, words) }))
        // Without the rule there is no hint; the server decides anyway.
        .catch(() => undefined)
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(pause)
    }
  }, [input, isLongEnough])

  return isLongEnough && known?.input === input ? known.verdict : undefined
}
