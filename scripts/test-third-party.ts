// Runs the tests with software of other projects, and writes docs/applications/matrix.md: what was run in which version, and what it
// showed. The names of the tests are the sentences of that page.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './run.ts'
import { readResults, type TestResult } from './test-results.ts'

const PAGE = 'docs/applications/matrix.md'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-third-party-'))
const file = join(folder, 'results')
try {
  const { code } = await run('node', [
    '--test',
    '--test-concurrency=2',
    '--test-global-setup=test/support/global-setup.ts',
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    '--test-reporter=./scripts/test-results.ts',
    `--test-reporter-destination=${file}`,
    'test/third-party/*.test.ts',
  ])
  process.exitCode = code
  const results = readResults(file)
  // A whole suite is skipped when its software could not be fetched.
  if (results.some(({ suite, outcome }) => suite === '' && outcome === 'skipped')) {
    process.stdout.write(`${PAGE} is left as it is, because not everything was run.\n`)
  } else {
    writeFileSync(PAGE, describe(results))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function describe(results: TestResult[]): string {
  const rows = results.map(({ suite, test, outcome }) => {
    const [, name = suite, version = ''] = /^(.*?) (\d\S*)$/.exec(suite) ?? []
    return `| ${name} | ${version} | ${test} | ${outcome} |`
  })
  return `# Tested with

Software of other projects that the tests run as it is published, with a whole sign-in through HTTP. \`npm run test:third-party\` runs
them and writes this page. Where a test lets somebody in, it checks the user, the email address and the groups that the software got;
that somebody without the role is not let in; and that the software refuses its signed-in user within a second after the role was taken
away. Dovecot, HAProxy and mod_oauth2 sign nobody in: they are brought tokens, good ones and bad ones. express-openid-connect and
mod_auth_openidc take logout tokens and never ask: access ends in the ways that are named, and within a second they have signed their
user out. The settings are on [the pages of the applications](README.md).

| Software | Version | What was run | Result |
| --- | --- | --- | --- |
${rows.toSorted().join('\n')}

Not run: \`@actual-app/sync-server\`, whose database library is compiled or downloaded from outside the registry when it is installed.
kube-apiserver itself is not run either: the test verifies ID tokens by its rules, with the library jose. It never asks here, so an ID
token is accepted until it expires; what is tested is that no other one is issued.

Tried by hand, with a whole sign-in, on 18 November 2026: Streamlit 1.64.0, Node-RED 5.0.7 with passport-oauth2 1.8.0, and FastMCP 4.0.10.
`
}
