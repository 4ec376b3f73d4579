/** The sentences of the server in another language. In both, {} stands for a value, in the same order. */
export type Refusals = Readonly<Partial<Record<string, string>>> | 'as they are'

/** Undefined for a sentence that the table does not have. */
export function translateSentence(refusals: Refusals | undefined, sentence: string): string | undefined {
  if (refusals === undefined) return undefined
  if (refusals === 'as they are') return sentence
  const known = refusals[sentence]
  if (known !== undefined) return known
  for (const [pattern, translated] of Object.entries(refusals)) {
    if (translated === undefined || !pattern.includes('{}')) continue
    const values = new RegExp(`^${pattern.split('{}').map(escape).join('(.*)')}$`, 's').exec(sentence)?.slice(1)
    if (values) return translated.replaceAll('{}', () => values.shift() ?? '')
  }
  return undefined
}

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
