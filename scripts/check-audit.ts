// Asks the registry for known vulnerabilities of what a release contains, and fails on one that SECURITY.md does not answer. An answer is a
// line under "Known findings" that begins with the identifier of the advisory and says why it does not concern Latchkey.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findUnanswered, readAnswers } from './release/audit-findings.ts'

const { stdout, stderr } = spawnSync('npm', ['audit', '--json', '--omit=dev'], { encoding: 'utf8' })
const unanswered = findUnanswered(stdout, readAnswers(readFileSync('SECURITY.md', 'utf8')))
if (unanswered === undefined) {
  process.stderr.write(`npm audit gave no report, so nothing is known:\n${stdout}${stderr}\n`)
  process.exitCode = 1
} else if (unanswered.length > 0) {
  process.stderr.write(`SECURITY.md answers none of these:\n${unanswered.map((each) => `  ${each}\n`).join('')}`)
  process.exitCode = 1
} else process.stdout.write('There is no finding without an answer.\n')
