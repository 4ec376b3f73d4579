import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { attachLoad, type Length, median } from './compare.ts'
import { expect, get, openConnection, postJson } from './connection.ts'
import { type Fixture, ISSUER } from './fixture.ts'
import { newPublicKey } from './seed.ts'
import { BOTH_CORES, type Server, SERVER_CORE, startOnCopy } from './servers.ts'

/** Milliseconds that a shell script with OpenSSH's own tool takes, on the core of the servers. */
const timeOnCore = (folder: string, script: string): number => {
  const started = performance.now()
  execFileSync('taskset', ['-c', SERVER_CORE, 'sh', '-ec', script], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return performance.now() - started
}

/** Certificates per second: the medians of the rounds, and the median of their ratios. */
export interface Certificates {
  latchkey: number
  keygen: number
  ratio: number
}

/** The target is defined for this number. */
const CONNECTIONS = 64

/**
 * Latchkey runs on both cores, one of which it shares with the load generator; `ssh-keygen -s` is run once for each
 * certificate, on one core. They take turns, so that a slow phase of the machine affects both.
 */
export async function measureCertificates(
  folder: string,
  { file, fixture }: { file: string; fixture: Fixture },
  { certificates, warmUp, keygenRuns }: { certificates: Length; warmUp: number; keygenRuns: number },
): Promise<Certificates> {
  const directory = join(folder, 'certificates')
  mkdirSync(directory)
  const sign = prepareKeygen(directory)
  const server = await startOnCopy(directory, file, { core: BOTH_CORES })
  const loaded = await attachLoad(server)
  try {
    await loaded.prepare('certificates', fixture, CONNECTIONS)
    await loaded.run(warmUp)
    const rounds: Certificates[] = []
    for (let round = 0; round < certificates.rounds; round++) {
      const { steps, seconds } = await loaded.run(certificates.milliseconds)
      const [latchkey, keygen] = [steps / seconds, sign(Math.ceil(keygenRuns / certificates.rounds))]
      rounds.push({ latchkey, keygen, ratio: latchkey / keygen })
    }
    const medianOf = (of: keyof Certificates) => median(rounds.map((round) => round[of]))
    return { latchkey: medianOf('latchkey'), keygen: medianOf('keygen'), ratio: medianOf('ratio') }
  } finally {
    loaded.close()
    await server.stop()
  }
}

/** Returns a function that measures how many certificates `ssh-keygen -s` signs per second. */
function prepareKeygen(directory: string): (times: number) => number {
  writeFileSync(join(directory, 'user.pub'), `${newPublicKey()}\n`)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', 'ca'], { cwd: directory, stdio: 'ignore' })
  const sign = 'ssh-keygen -q -s ca -I bench -n bench -V +8h -z $i user.pub'
  return (times) =>
    (1000 * times) / timeOnCore(directory, `i=0; while [ $i -lt ${times} ]; do i=$((i + 1)); ${sign}; done`)
}

/** Milliseconds that `ssh-keygen -k` takes for a revocation list of the same serials. */
export function measureKeygenKrl(folder: string, revoked: number): number {
  const directory = join(folder, 'keygen-krl')
  mkdirSync(directory)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', 'ca'], { cwd: directory, stdio: 'ignore' })
  const serials = Array.from({ length: revoked }, (_, index) => `serial: ${index * 3 + 1}\n`)
  writeFileSync(join(directory, 'revoked'), serials.join(''))
  return median(
    [1, 2, 3].map((version) => timeOnCore(directory, `ssh-keygen -q -k -f krl -s ca.pub -z ${version} revoked`)),
  )
}

/** Milliseconds that the first request for the list takes after a revocation: it is read, built and sent. */
export async function measureKrlRebuild({ port }: Server, { people, certificateIds }: Fixture): Promise<number> {
  const connection = await openConnection(port)
  const headers = { Cookie: `session=${people[0]?.session}`, Origin: ISSUER }
  const list = get('/ssh/krl?format=krl')
  try {
    const times: number[] = []
    for (const id of certificateIds.slice(0, 7)) {
      expect(await connection.send(postJson(`/api/ssh/certs/${id}/revoke`, {}, headers)), 200, '"success":true')
      const started = performance.now()
      expect(await connection.send(list), 200, 'SSHKRL\n\0')
      times.push(performance.now() - started)
    }
    return median(times)
  } finally {
    connection.close()
  }
}
