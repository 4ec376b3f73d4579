import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { runProgram } from '../third-party/run-application.ts'
import { debianEnvironment, debianProgram, needs } from '../third-party/software.ts'
import { documentedCode } from './documented-code.ts'

const OURS = join(import.meta.dirname, 'receivers')

const [npm, debian, go] = await Promise.all([needs('npm'), needs('debian'), needs('go')])

interface Command {
  command: string
  args: string[]
  environment?: Record<string, string>
}

interface Language {
  skip: string | false
  /** Makes what it takes to run a program that was written into the folder. */
  prepare(folder: string, file: string): Promise<Command>
}

const OURS_IN_JAVASCRIPT = ['sessions.mjs', 'events.mjs']

const express: Language = {
  skip: npm.skip,
  async prepare(folder, file) {
    copy(folder, OURS_IN_JAVASCRIPT)
    symlinkSync(join(npm.folder, 'node_modules'), join(folder, 'node_modules'))
    return { command: process.execPath, args: [file] }
  },
}

const next: Language = {
  skip: npm.skip,
  async prepare(folder, file) {
    const { command, args } = await express.prepare(folder, file)
    copy(folder, ['serve-route.mjs'])
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
    return { command, args: ['serve-route.mjs', ...args] }
  },
}

const python: Language = {
  skip: debian.skip,
  async prepare(folder, file) {
    copy(folder, ['sessions.py', 'events.py'])
    return {
      command: debianProgram(debian.folder, 'usr/bin/python3'),
      args: [file],
      environment: debianEnvironment(debian.folder),
    }
  },
}

const golang: Language = {
  skip: go.skip,
  async prepare(folder, file) {
    const code = readFileSync(join(folder, file), 'utf8')
    const own = code.includes('endSessions(') ? 'sessions.go' : 'events.go'
    copy(folder, [own])
    // Debian has version 2, from before modules.
    writeFileSync(join(folder, file), code.replace('go-oidc/v3/oidc', 'go-oidc'))
    const env = {
      PATH: process.env['PATH'],
      HOME: folder,
      GOROOT: join(go.folder, 'usr/lib/go'),
      GOPATH: join(go.folder, 'usr/share/gocode'),
      GOCACHE: join(go.folder, 'build'),
      GO111MODULE: 'off',
    }
    await promisify(execFile)(join(env.GOROOT, 'bin/go'), ['build', '-o', 'receiver', file, own], { cwd: folder, env })
    return { command: join(folder, 'receiver'), args: [] }
  },
}

export const LANGUAGES = { express, next, python, golang }

/** Runs a documented receiver until the test ends. Tells what it has passed on, one value for each time. */
export async function runReceiver(
  t: TestContext,
  language: Language,
  title: string,
  environment: Record<string, string> & { PORT: string },
): Promise<() => unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-receiver-'))
  mkdirSync(dirname(join(folder, title)), { recursive: true })
  writeFileSync(join(folder, title), documentedCode(title))
  const { environment: more = {}, ...program } = await language.prepare(folder, title)
  const { output } = await runProgram(t, {
    ...program,
    folder,
    environment: { ...more, ...environment },
    home: `http://127.0.0.1:${environment.PORT}/`,
  })
  // After the program has stopped.
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return () =>
    output()
      .split('\n')
      .filter((line) => line.startsWith('{"'))
      .map((line) => JSON.parse(line) as unknown)
}

function copy(folder: string, files: string[]): void {
  for (const file of files) copyFileSync(join(OURS, file), join(folder, file))
}
