import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { SHOWN_ERRORS } from '../../src/error-reasons.ts'
import { newFolder } from './folder.ts'

/** The code that test data for languages from right to left has (Unicode CLDR). */
export const LANGUAGE = 'ar-XB'

const TEXTS = 'dashboard/src/texts'

/** What somebody who translates the dashboard adds: a folder with the files of `en`, and a line in the list of languages. */
function addLanguage(root: string): void {
  const texts = join(root, TEXTS)
  const folder = join(texts, LANGUAGE)
  mkdirSync(folder)
  for (const file of readdirSync(join(texts, 'en')).filter((name) => name.endsWith('.ts')))
    writeFileSync(join(folder, file), file === 'errors.ts' ? errorsFile() : textsFile(texts, file))
  writeFileSync(join(texts, 'pseudo.ts'), PSEUDO)
  const list = join(texts, 'language.ts')
  const line = `  '${LANGUAGE}': { name: 'Pseudo', direction: 'rtl' },\n} as const`
  writeFileSync(list, readFileSync(list, 'utf8').replace('} as const', line))
}

function textsFile(texts: string, file: string): string {
  const names = readFileSync(join(texts, 'en', file), 'utf8').matchAll(/^export (?:const (\w+)|\{ (\w+) \} from)/gm)
  const exports = [...names].map(([, made, passedOn]) => made ?? passedOn)
  const lines = exports.map((name) => `export const ${name} = pseudo(english.${name})`)
  return [`import * as english from '../en/${file}'`, `import { pseudo } from '../pseudo.ts'`, ...lines, ''].join('\n')
}

function errorsFile(): string {
  const sentences = Object.entries(SHOWN_ERRORS).map(([reason, error]) => [reason, error.sentence])
  return `import { pseudo } from '../pseudo.ts'
export const errors = {
  sentences: pseudo(${JSON.stringify(Object.fromEntries(sentences))}),
  sayDuration: (seconds: number) => pseudo(\`\${seconds} seconds\`),
}
`
}

/** Longer words with accents, in brackets that show a text that is cut off. Values that are put into a text stay as they are. */
const PSEUDO = `
const ACCENTS = { a: 'àä', e: 'éë', i: 'ïï', o: 'öô', u: 'ûü', c: 'ç', n: 'ñ', s: 'š', y: 'ÿ', A: 'Å', E: 'É', O: 'Ø' } as Record<string, string>

const said = (text: string, kept: string[]): string => '⟦' + parts(text, kept).map((part) => (kept.includes(part) || /^\\{.*\\}$/.test(part) ? part : accented(part))).join('') + '⟧'

const parts = (text: string, kept: string[]): string[] =>
  text.split(new RegExp('(' + [...kept.map((each) => each.replace(/[.*+?^\${}()|[\\]\\\\]/g, '\\\\$&')), '\\\\{[^}]*\\\\}'].join('|') + ')'))

const accented = (text: string): string => text.replace(/[a-zA-Z]/g, (letter) => ACCENTS[letter] ?? letter)

export function pseudo<Value>(value: Value, kept: string[] = []): Value {
  if (typeof value === 'string') return said(value, kept) as Value
  if (typeof value === 'function')
    return ((...values: unknown[]) =>
      pseudo(value(...values), values.flatMap((each) => (each !== null && typeof each === 'object' ? Object.values(each) : [each])).map(String).filter(Boolean))) as Value
  if (Array.isArray(value)) return value.map((each) => pseudo(each, kept)) as Value
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pseudo(inner, kept)])) as Value
}
`

/** Builds the dashboard with the language in a copy of this installation. Returns its server program. */
export function buildWithThirdLanguage(): string {
  const root = newFolder(basename(LANGUAGE))
  for (const name of ['node_modules', 'src', 'catalogue', 'deploy', 'package.json'])
    symlinkSync(resolve(name), join(root, name))
  cpSync('dist', join(root, 'dist'), { recursive: true })
  cpSync('dashboard', join(root, 'dashboard'), { recursive: true, filter: (path) => path !== 'dashboard/dist' })
  addLanguage(root)
  // Nobody downloads it from far away, and compressing takes longer than building.
  const config = join(root, 'dashboard/vite.config.ts')
  writeFileSync(config, readFileSync(config, 'utf8').replace('precompress(), ', ''))
  execFileSync(process.execPath, [resolve('node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
    cwd: join(root, 'dashboard'),
    stdio: 'inherit',
  })
  return join(root, 'dist/main.js')
}
