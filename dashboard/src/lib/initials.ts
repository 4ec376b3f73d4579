/** The first characters of a name as people see them: an emoji or a flag is one, though it is several code points. */
export function initials(name: string, count = 2): string {
  const words = name.trim().split(/\s+/).filter(Boolean)
  const chosen = words.length > 1 ? [words[0], words.at(-1)] : words
  return chosen
    .slice(0, count)
    .map((word = '') => firstCharacter(word).toLocaleUpperCase())
    .join('')
}

/** A character of ASCII that no sign after it can change. Browsers take long to make their first segmenter. */
const PLAIN_CHARACTER = /^[ -~](?=[ -~]|$)/

function firstCharacter(word: string): string {
  const plain = PLAIN_CHARACTER.exec(word)
  if (plain) return plain[0]
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'grapheme' }).segment(word)) return segment
  return ''
}
