import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { readConfig } from '../../src/platform/config/config.ts'
import { isSetting } from '../../src/platform/config/secret-files.ts'
import { matchesIn, read, ROOT } from './repository.ts'

const FILE = 'deploy/kubernetes/latchkey.yaml'
const documents = parseAllDocuments(read(FILE)).map((each) => each.toJS() as Record<string, unknown>)
const find = (kind: string) => documents.find((each) => each['kind'] === kind)

/** Which type of the API a document must have. */
const TYPES: Record<string, [module: string, type: string]> = {
  ConfigMap: ['core/v1', 'ConfigMap'],
  Deployment: ['apps/v1', 'Deployment'],
  Service: ['core/v1', 'Service'],
  PodDisruptionBudget: ['policy/v1', 'PodDisruptionBudget'],
  Ingress: ['networking/v1', 'Ingress'],
}

/** Compares each document with the type that is generated from the API of Kubernetes. Unknown fields are errors too. */
function checkTypes(folder: string, given: Record<string, unknown>[]) {
  const lines = given.map((document, at) => {
    const [module, type] = TYPES[String(document['kind'])] ?? ['', '']
    return `import type { ${type} as Type${at} } from 'kubernetes-types/${module}'\nexport const document${at}: Type${at} = ${JSON.stringify(document, null, 1)}\n`
  })
  writeFileSync(join(folder, 'manifest.ts'), lines.join(''))
  const args = [
    '--noEmit',
    '--strict',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    '',
    join(folder, 'manifest.ts'),
  ]
  return spawnSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), ...args], {
    encoding: 'utf8',
    cwd: folder,
  })
}

test('the Kubernetes manifest has the types of the API, and a misspelt field is found', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-kubernetes-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  assert.equal(documents.length, 5)
  const { status, stdout } = checkTypes(folder, documents)
  assert.equal(status, 0, stdout)
  const misspelt = { ...find('Service'), spec: { selectr: { app: 'latchkey' } } }
  assert.match(checkTypes(folder, [misspelt]).stdout, /selectr/)
})

test('the settings in the manifest are valid, and the pods are ready for what the service does', () => {
  const { data } = find('ConfigMap') as { data: Record<string, string> }
  const inSecret = matchesIn(read(FILE), /--from-literal=([A-Z0-9_]+)=/g)
  for (const name of [...Object.keys(data), ...inSecret]) assert.ok(isSetting(name), name)
  const config = readConfig({
    ...data,
    SECRET_KEY: 'a-secret-key-for-tests-of-32-characters-or-more',
    DATABASE_URL: 'postgres://latchkey@db/latchkey',
    S3_ACCESS_KEY_ID: 'key',
    S3_SECRET_ACCESS_KEY: 'secret',
  })
  assert.equal(config.baseUrl, 'https://id.example.com')
  const seconds = Number(matchesIn(read(FILE), /terminationGracePeriodSeconds: (\d+)/g)[0])
  const shutdownSeconds = Number(/SHUTDOWN_MS = (\d+)/.exec(read('src/serve.ts'))?.[1]) / 1000
  assert.ok(seconds > shutdownSeconds)
})
