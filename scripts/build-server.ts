// Bundles the service and the command line into dist. With --if-stale it does nothing when what it would build from has not
// changed. A bundle starts in half the time: most of the start is finding and reading a thousand files of packages.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'rolldown'
import { listPackages } from './release/list-packages.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUTPUT = join(ROOT, 'dist')
const UNFINISHED = `${OUTPUT}.unfinished`
const MARK = join(OUTPUT, 'built-from.txt')
const SOURCES = ['package-lock.json', 'scripts/build-server.ts', 'src/**/*.{ts,json}', 'catalogue/**/*.ts']

/** Packages with native code. They are loaded from node_modules. */
export const NOT_BUNDLED = ['sharp', '@node-rs/argon2']

/** By content, not by time: a fresh checkout gives every file a new time. */
function fingerprint(): string {
  const hash = createHash('sha256')
  for (const file of globSync(SOURCES, { cwd: ROOT }).toSorted()) {
    hash.update(file).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

const THREAD = /new URL\('([\w-]+)-thread\.ts', import\.meta\.url\)/g

/** A worker thread starts from a file of its own, which stands beside the bundle under the name of its source. */
const threads: Plugin = {
  name: 'threads',
  transform: (code) =>
    THREAD.test(code) ? code.replaceAll(THREAD, "new URL('./$1-thread.js', import.meta.url)") : null,
}

/** V8 keeps the source in memory, with two bytes for each character unless all of them are ASCII. This is for the notices of packages. */
const asciiComments: Plugin = {
  name: 'ascii-comments',
  renderChunk: (code) =>
    code.replaceAll(/\/\*!.*?\*\//gs, (comment) => comment.replaceAll(/[^\0-\x7f]/g, escapeCharacter)),
}

const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

async function buildServer(): Promise<void> {
  const { rolldown } = await import('rolldown')
  const threadFiles = globSync('src/**/*-thread.ts', { cwd: ROOT, exclude: ['**/*-in-thread.ts'] })
  const files = ['src/main.ts', 'src/cli.ts', ...threadFiles]
  const bundle = await rolldown({
    cwd: ROOT,
    input: Object.fromEntries(files.map((file) => [basename(file, '.ts'), file])),
    platform: 'node',
    external: NOT_BUNDLED,
    plugins: [threads, asciiComments],
    logLevel: 'warn',
  })
  // Names without a hash of the content: nothing caches these files, and a stack is easier to read.
  const names = { entryFileNames: '[name].js', chunkFileNames: 'part-[name].js' }
  const text = { charset: 'ascii', comments: { jsdoc: false } } as const
  const { output } = await bundle.write({ dir: UNFINISHED, format: 'esm', ...names, ...text })
  const packages = listPackages(output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : [])))
  writeFileSync(join(UNFINISHED, 'packages.json'), `${JSON.stringify(packages, null, 2)}\n`)
  await bundle.close()
}

const wanted = fingerprint()
const built = existsSync(MARK) ? readFileSync(MARK, 'utf8') : undefined

if (built !== wanted || !process.argv.includes('--if-stale')) {
  rmSync(UNFINISHED, { recursive: true, force: true })
  await buildServer()
  writeFileSync(join(UNFINISHED, basename(MARK)), wanted)
  rmSync(OUTPUT, { recursive: true, force: true })
  renameSync(UNFINISHED, OUTPUT)
}
