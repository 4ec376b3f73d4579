// Writes what is generated from the code: docs/configuration.md, docs/openapi.json, docs/api.md, docs/applications, and a table of
// docs/telling-applications.md.
// With --check it writes nothing, and fails when a file does not match the code.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app.ts'
import { openServices } from '../src/open-services.ts'
import { readConfig } from '../src/platform/config/config.ts'
import { FILE_NAMES } from '../src/platform/config/secret-files.ts'
import { VARIABLES } from '../src/platform/config/variables.ts'
import { createLogger } from '../src/platform/http/log.ts'
import { describedApi } from '../src/platform/http/openapi.ts'
import { describeAccessEnds } from './describe-access-ends.ts'
import { describeApplications } from './describe-applications.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

function describeConfiguration(): string {
  const rows = Object.entries(VARIABLES).map(
    ([name, { meaning, fallback, accepts }]) =>
      `| \`${name}\` | ${cell(fallback)} | ${cell(meaning)} | ${cell(accepts)} |`,
  )
  const files = [...FILE_NAMES]
    .filter((name) => name !== 'SECRET_KEY_FILE')
    .map((name) => `\`${name}\``)
    .join(', ')
  return `# Configuration

Settings are environment variables, or lines of a file \`.env\` in the working folder; the environment takes precedence.
The service does not start with a wrong value: one line names the variable, its value and the values that it accepts.
It does not start either with a name in \`.env\` that is not on this page, or a line there that sets nothing. A name in the environment
that is similar to one of these is a warning that names both.

A secret can be in a file instead: \`SECRET_KEY_FILE=/run/secrets/key\` is read like \`SECRET_KEY\`, without one final line break. So can ${files}.
The service does not start if both are set, or if the file can't be read or is empty.

This page is generated from \`src/platform/config/variables.ts\`.

| Variable | Default | Meaning | Accepts |
| --- | --- | --- | --- |
${rows.join('\n')}
`
}

interface Operation {
  summary?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  'x-permission'?: string
  'x-permission-too'?: string
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

async function readOpenApi(): Promise<Document> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-docs-'))
  const services = await openServices(readConfig({ DATA_DIR: folder }), { log: createLogger('silent'), now: Date.now })
  const app = await createApp(services)
  await app.ready()
  const document = describedApi(app) as unknown as Document
  await app.close()
  await services.close()
  rmSync(folder, { recursive: true, force: true })
  return document
}

/** The security schemes of `src/platform/http/openapi.ts`, as the page calls them. */
const CALLERS: Record<string, string> = {
  session: 'signed-in users',
  client: 'clients',
  bearer: 'holders of an access token',
}

function describeAccess(security: Operation['security'] = []): string {
  const schemes = new Set(security.flatMap((each) => Object.keys(each)))
  return schemes.size === 0 ? 'public' : [...schemes].map((scheme) => CALLERS[scheme] ?? scheme).join(', ')
}

function describeEndpoints({ paths }: Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const sections = Object.entries(Object.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'Other'))
  const tables = sections.map(([tag, list = []]) => {
    const rows = list.map(({ path, method, operation }) => {
      const permissions = [operation['x-permission'], operation['x-permission-too']].filter(
        (each) => each !== undefined,
      )
      const access = permissions.length > 0 ? permissions.join(' and ') : describeAccess(operation.security)
      return `| \`${method} ${path}\` | ${cell(operation.summary ?? '')} | ${access} |`
    })
    return `## ${tag}\n\n| Endpoint | What it does | Who may call it |\n| --- | --- | --- |\n${rows.join('\n')}\n`
  })
  return `# API

Every endpoint, by area. A running service has all details at \`/openapi.json\`.
This page is generated from the routes.

${tables.join('\n')}`
}

const openApi = await readOpenApi()
const files: Record<string, string> = {
  'docs/configuration.md': describeConfiguration(),
  'docs/openapi.json': `${JSON.stringify(openApi, null, 2)}\n`,
  'docs/api.md': describeEndpoints(openApi),
  ...describeAccessEnds(),
  ...describeApplications(),
}

for (const [file, text] of Object.entries(files)) {
  const current = existsSync(file) ? readFileSync(file, 'utf8') : ''
  if (current === text) continue
  if (process.argv.includes('--check')) {
    process.stderr.write(`${file} is not what the code says. Run: npm run openapi\n`)
    process.exitCode = 1
  } else {
    writeFileSync(file, text)
  }
}
