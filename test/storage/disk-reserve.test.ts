import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createDiskReserve } from '../../src/storage/sqlite/keep-log-short.ts'

const MB = 1 << 20

/** A file of 1 MB on a disk of 1 GB, of which 64 MB have to stay free. */
function createDisk(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-reserve-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'test.db')
  writeFileSync(file, Buffer.alloc(MB))
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const disk = { freeMb: 500, databaseMb: 1, fails: false }
  const reserve = createDiskReserve({ file, bytes: () => disk.databaseMb * MB }, () => {
    if (disk.fails) throw new Error('EIO')
    return { bsize: 4096, blocks: (1024 * MB) / 4096, bavail: (disk.freeMb * MB) / 4096 }
  })
  return {
    disk,
    reserve,
    isShort() {
      now += 1000
      return reserve.isShort()
    },
  }
}

test('there is too little space when what is in the log and a margin do not fit any more', (t) => {
  const { disk, isShort } = createDisk(t)
  assert.equal(isShort(), false)
  disk.freeMb = 63
  assert.equal(isShort(), true)
  disk.freeMb = 500
  assert.equal(isShort(), false)
  // 450 MB of it are in the log only.
  disk.databaseMb = 451
  assert.equal(isShort(), true)
})

test('there is enough space again only when there is more than the margin', (t) => {
  const { disk, isShort } = createDisk(t)
  disk.freeMb = 65
  assert.equal(isShort(), false)
  disk.freeMb = 63
  assert.equal(isShort(), true)
  disk.freeMb = 79
  assert.equal(isShort(), true)
  disk.freeMb = 81
  assert.equal(isShort(), false)
})

test('while the space can’t be measured, the last answer holds', (t) => {
  const { disk, isShort } = createDisk(t)
  disk.fails = true
  assert.equal(isShort(), false)
  disk.fails = false
  disk.freeMb = 10
  assert.equal(isShort(), true)
  disk.fails = true
  assert.equal(isShort(), true)
})

test('writes are refused only from when the service keeps the reserve', (t) => {
  const { disk, reserve } = createDisk(t)
  disk.freeMb = 10
  assert.equal(reserve.failure(), undefined)
  reserve.keep()
  assert.equal(reserve.failure()?.kind, 'unwritable')
})
