import { COMMON_PASSWORDS } from './common-passwords.ts'

/** How many guesses a password takes, and the parts that it consists of. */
export interface Estimate {
  guessesLog10: number
  parts: Part[]
}

export interface Part {
  /** How an attacker would guess it: from a dictionary, as a row of keys, or by trying everything. */
  pattern: string
  token: string
  /** For words. */
  dictionary: string | undefined
}

export type Estimator = (password: string, personal: string[]) => Estimate

/** Look-alike characters that are tried. Each costs a search of all dictionaries, and few passwords have more. */
const MAX_SUBSTITUTIONS = 10

/**
 * zxcvbn with its dictionaries: megabytes that take half a second to prepare, so they are loaded when they are first needed and
 * not with the module. Lists of English surnames and of the words of the English Wikipedia are left out: they are as large
 * as all others together and find little more.
 */
export async function loadEstimator(): Promise<Estimator> {
  const [{ ZxcvbnFactory }, keyboards, passwords, english, englishNames, german, germanWords, germanNames, surnames] =
    await Promise.all([
      import('@zxcvbn-ts/core'),
      import('@zxcvbn-ts/language-common/src/adjacencyGraphs.json', { with: { type: 'json' } }),
      import('@zxcvbn-ts/language-common/src/passwords.json', { with: { type: 'json' } }),
      import('@zxcvbn-ts/language-en/src/commonWords.json', { with: { type: 'json' } }),
      import('@zxcvbn-ts/language-en/src/firstnames.json', { with: { type: 'json' } }),
      import('@zxcvbn-ts/language-de/src/commonWords.json', { with: { type: 'json' } }),
      import('@zxcvbn-ts/language-de/src/wikipedia.json', { with: { type: 'json' } }),
      import('@zxcvbn-ts/language-de/src/firstnames.json', { with: { type: 'json' } }),
      import('@zxcvbn-ts/language-de/src/lastnames.json', { with: { type: 'json' } }),
    ])
  const zxcvbn = new ZxcvbnFactory({
    l33tMaxSubstitutions: MAX_SUBSTITUTIONS,
    graphs: keyboards.default,
    dictionary: {
      common: COMMON_PASSWORDS,
      passwords: passwords.default,
      english: english.default,
      englishNames: englishNames.default,
      german: german.default,
      germanWords: germanWords.default,
      germanNames: germanNames.default,
      surnames: surnames.default,
    },
  })
  return (password, personal) => {
    const { guessesLog10, sequence } = zxcvbn.check(password, personal)
    const parts = sequence.map(({ pattern, token, ...match }) => ({
      pattern,
      token,
      dictionary: 'dictionaryName' in match ? String(match['dictionaryName']) : undefined,
    }))
    return { guessesLog10, parts }
  }
}
