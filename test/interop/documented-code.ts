import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/telling-applications.md'), 'utf8')

/** A program of docs/telling-applications.md, letter for letter. */
export function documentedCode(title: string): string {
  const escaped = title.replaceAll(/[.*/]/g, String.raw`\$&`)
  const [, code] = new RegExp(`^\`\`\`\\w+ title=${escaped}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(PAGE) ?? []
  if (code === undefined) throw new Error(`${title} is not on the page.`)
  return code
}
