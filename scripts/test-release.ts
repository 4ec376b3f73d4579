// Makes a release twice, which must give the same bytes, and installs each of its forms into a system of its own. It takes some
// minutes, needs root and the registry, and is part of the workflow that publishes a release; npm test leaves it out.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { run } from './run.ts'

const FOLDERS = ['node_modules/.cache/release-first', 'node_modules/.cache/release-second']

for (const out of FOLDERS) {
  const { code } = await run('node', ['scripts/release.ts', '--out', out])
  if (code !== 0) process.exit(code)
}
const [first, second] = FOLDERS.map((folder) => readFileSync(`${folder}/SHA256SUMS`, 'utf8'))
const isSame = first === second
process.stdout.write(isSame ? 'Both releases are the same bytes.\n' : `Two releases differ:\n${first}\n${second}`)

process.env['RELEASE_FOLDER'] = resolve(FOLDERS[0] ?? '')
const { code } = await run('node', ['--test', '--test-concurrency=1', 'test/release/*.test.ts'])
process.exitCode = isSame ? code : 1
