import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { languages } from '../../../dashboard/src/texts/language.ts'

// The type of each German text is that of its English one, so a missing or superfluous text fails the type check.
// What types do not cover is checked here: lists, tables with arbitrary keys, and the parameters in each sentence.

const FOLDER = join(import.meta.dirname, '../../../dashboard/src/texts')
const filesOf = (language: string) =>
  readdirSync(join(FOLDER, language), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .toSorted()
const PARTS = filesOf('en')
/** What the server says, and the catalogue, which English shows as they are: error-texts.test.ts and catalogue-texts.test.ts. */
const OF_THE_SERVER = /^(?:catalogue|errors)\b/
const TRANSLATIONS = Object.keys(languages).filter((language) => language !== 'en')

type Texts = Map<string, string>

/** Every text by its path. In a sentence with parameters, each parameter and each of its fields is replaced with a mark. */
function texts(value: unknown, path: string): Texts {
  if (typeof value === 'string') return new Map([[path, value]])
  if (typeof value === 'function') {
    const sentence: unknown = Reflect.apply(value, undefined, [parameter(1), parameter(2), parameter(3)])
    return new Map([[path, String(sentence)]])
  }
  assert.ok(typeof value === 'object' && value !== null, `${path} is not a text`)
  return new Map(Object.entries(value).flatMap(([key, inner]) => texts(inner, `${path}.${key}`).entries().toArray()))
}

const parameter = (number: number): unknown =>
  new Proxy(
    {},
    { get: (_, name) => (name === Symbol.toPrimitive ? () => `⟨${number}⟩` : `⟨${number}.${String(name)}⟩`) },
  )

const marksIn = (text: string) => new Set(text.match(/⟨[^⟩]*⟩/g))

async function load(language: string, file: string): Promise<Texts> {
  const part: unknown = await import(join(FOLDER, language, file))
  return texts({ ...(part as object) }, '')
}

for (const language of TRANSLATIONS) {
  describe(`the texts in ${language}`, () => {
    test('have the same files as the English ones', () => {
      assert.deepEqual(
        filesOf(language).filter((file) => !OF_THE_SERVER.test(file)),
        PARTS.filter((file) => !OF_THE_SERVER.test(file)),
      )
    })

    for (const file of PARTS.filter((part) => !OF_THE_SERVER.test(part))) {
      test(`of ${file} have the same keys as the English ones, are not empty, and use the same parameters`, async () => {
        const english = await load('en', file)
        const translated = await load(language, file)
        assert.deepEqual([...translated.keys()].toSorted(), [...english.keys()].toSorted())
        for (const [path, text] of translated) {
          assert.notEqual(text.trim(), '', path)
          assert.deepEqual(marksIn(text), marksIn(english.get(path) ?? ''), path)
        }
      })
    }
  })
}
