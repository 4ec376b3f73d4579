import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { languages } from '../../../dashboard/src/texts/language.ts'

// The type of each German text is that of its English one, so a text that is missing or too many fails the type check.
// What types do not see is checked here: lists, tables that are open to any key, and what a sentence mentions.

const FOLDER = join(import.meta.dirname, '../../../dashboard/src/texts')
const PARTS = readdirSync(join(FOLDER, 'en'))
const OTHERS = Object.keys(languages).filter((language) => language !== 'en')

type Told = Map<string, string>

/** Every text by its place. A sentence with parameters is said with a mark for each, and with one for each of its fields. */
function texts(value: unknown, place: string): Told {
  if (typeof value === 'string') return new Map([[place, value]])
  if (typeof value === 'function') {
    const said: unknown = Reflect.apply(value, undefined, [parameter(1), parameter(2), parameter(3)])
    return new Map([[place, String(said)]])
  }
  assert.ok(typeof value === 'object' && value !== null, `${place} is no text`)
  return new Map(Object.entries(value).flatMap(([key, inner]) => texts(inner, `${place}.${key}`).entries().toArray()))
}

const parameter = (number: number): unknown =>
  new Proxy(
    {},
    { get: (_, name) => (name === Symbol.toPrimitive ? () => `⟨${number}⟩` : `⟨${number}.${String(name)}⟩`) },
  )

const marksIn = (text: string) => new Set(text.match(/⟨[^⟩]*⟩/g))

async function load(language: string, file: string): Promise<Told> {
  const part: unknown = await import(join(FOLDER, language, file))
  return texts({ ...(part as object) }, '')
}

for (const language of OTHERS) {
  describe(`the texts in ${language}`, () => {
    test('have the same files as the English ones', () => {
      assert.deepEqual(readdirSync(join(FOLDER, language)), PARTS)
    })

    for (const file of PARTS) {
      test(`of ${file} are as many as the English ones, none of them is empty, and each mentions what the English one does`, async () => {
        const english = await load('en', file)
        const told = await load(language, file)
        assert.deepEqual([...told.keys()].toSorted(), [...english.keys()].toSorted())
        for (const [place, text] of told) {
          assert.notEqual(text.trim(), '', place)
          assert.deepEqual(marksIn(text), marksIn(english.get(place) ?? ''), place)
        }
      })
    }
  })
}
