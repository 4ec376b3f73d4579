import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, get, openConnection, postJson } from './connection.ts'
import { createContestant, type Length, median } from './duel.ts'
import { type Fixture, ISSUER } from './fixture.ts'
import { newPublicKey } from './seed.ts'
import { BOTH_CORES, type Server, SERVER_CORE, startOnCopy } from './servers.ts'

/** How long OpenSSH's own tool takes for what Latchkey does, on the same core. */
const onCore = (folder: string, script: string): number => {
  const started = performance.now()
  execFileSync('taskset', ['-c', SERVER_CORE, 'sh', '-ec', script], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return performance.now() - started
}

/** Certificates a second: the medians of the rounds, and the median of their ratios. */
export interface Certificates {
  latchkey: number
  keygen: number
  ratio: number
}

/** As many as the target names. */
const CONNECTIONS = 64

/**
 * Latchkey on both cores, which it shares with the load generator, and `ssh-keygen -s`, run once for each certificate on
 * a core of its own, in turns: both meet the machine in the same moods.
 */
export async function measureCertificates(
  folder: string,
  { file, fixture }: { file: string; fixture: Fixture },
  { flood, warmUp, keygenRuns }: { flood: Length; warmUp: number; keygenRuns: number },
): Promise<Certificates> {
  const place = join(folder, 'certificates')
  mkdirSync(place)
  const sign = prepareKeygen(place)
  const server = await startOnCopy(place, file, { core: BOTH_CORES })
  const contestant = await createContestant(server)
  try {
    await contestant.prepare('certificates', fixture, CONNECTIONS)
    await contestant.run(warmUp)
    const rounds: Certificates[] = []
    for (let round = 0; round < flood.rounds; round++) {
      const { steps, seconds } = await contestant.run(flood.milliseconds)
      const [latchkey, keygen] = [steps / seconds, sign(Math.ceil(keygenRuns / flood.rounds))]
      rounds.push({ latchkey, keygen, ratio: latchkey / keygen })
    }
    const middle = (of: keyof Certificates) => median(rounds.map((round) => round[of]))
    return { latchkey: middle('latchkey'), keygen: middle('keygen'), ratio: middle('ratio') }
  } finally {
    contestant.close()
    await server.stop()
  }
}

/** Certificates a second by `ssh-keygen -s`, from a shell that does nothing else. */
function prepareKeygen(place: string): (times: number) => number {
  writeFileSync(join(place, 'user.pub'), `${newPublicKey()}\n`)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', 'ca'], { cwd: place, stdio: 'ignore' })
  const sign = 'ssh-keygen -q -s ca -I bench -n bench -V +8h -z $i user.pub'
  return (times) => (1000 * times) / onCore(place, `i=0; while [ $i -lt ${times} ]; do i=$((i + 1)); ${sign}; done`)
}

/** Milliseconds for a revocation list of the same serials by `ssh-keygen -k`. */
export function measureKeygenKrl(folder: string, revoked: number): number {
  const place = join(folder, 'keygen-krl')
  mkdirSync(place)
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', 'ca'], { cwd: place, stdio: 'ignore' })
  const serials = Array.from({ length: revoked }, (_, index) => `serial: ${index * 3 + 1}\n`)
  writeFileSync(join(place, 'revoked'), serials.join(''))
  return median([1, 2, 3].map((version) => onCore(place, `ssh-keygen -q -k -f krl -s ca.pub -z ${version} revoked`)))
}

/** Milliseconds until the list is there again after a revocation: read from the database, written and sent. */
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
