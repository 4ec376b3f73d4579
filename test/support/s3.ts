import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { S3Config } from '../../src/platform/config/config.ts'

interface S3Server {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}
type S3Constructor = new (options: object) => S3Server

// It ships no types.
const S3rver = createRequire(import.meta.url)('@20minutes/s3rver') as S3Constructor

/** A real S3-compatible server on a free port, with one bucket, that checks every signature. */
export async function startS3(t: TestContext): Promise<{ config: S3Config; names(): Promise<string[]> }> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-s3-'))
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    vhostBuckets: false,
    configureBuckets: [{ name: 'avatars' }],
  })
  const { port } = await server.run()
  t.after(async () => {
    await server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return {
    config: {
      url: `http://127.0.0.1:${port}/avatars`,
      accessKeyId: 'S3RVER',
      secretAccessKey: 'S3RVER',
      region: 'us-east-1',
    },
    names: async () =>
      readdirSync(join(directory, 'avatars'), { recursive: true })
        .map(String)
        .filter((name) => name.endsWith('.webp._S3rver_object')),
  }
}
