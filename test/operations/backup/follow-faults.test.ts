import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findLastBackup } from '../../../src/platform/config/data-files.ts'
import { MINUTE, DAY, createStore, createFollowed, restored, upTo } from './followed-database.ts'

test('a store that fails for a while loses nothing: what was not stored is stored before anything newer', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  followed.write()
  await follower.next()
  for (let round = 0; round < 3; round++) {
    faults.isAway = true
    for (let tries = 0; tries < 3; tries++) {
      followed.write()
      await assert.rejects(follower.next(), /away/)
    }
    // The log begins anew meanwhile.
    if (round === 1) followed.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    followed.write()
    faults.isAway = false
    await follower.next()
    const last = followed.write()
    await follower.next()
    assert.deepEqual(await restored(t, store), upTo(last))
  }
})

test('an upload that fails in the middle of a change is repeated whole, also if only its answer was lost', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  followed.write()
  await follower.next()
  // Two parts: 4,000 pages are in each.
  followed.write(17_000_000)
  for (const putsLeft of [0, 1]) {
    faults.putsLeft = putsLeft
    await assert.rejects(follower.next(), /fails/)
    assert.deepEqual(await restored(t, store), [1])
  }
  faults.putsLeft = Infinity
  followed.write()
  await follower.next()
  assert.deepEqual(await restored(t, store), [1, 2, 3])
  followed.write()
  faults.losesAnswer = true
  await assert.rejects(follower.next(), /lost/)
  followed.write()
  faults.losesAnswer = false
  await follower.next()
  assert.deepEqual(await restored(t, store), upTo(5))
})

test('a first copy that could not be stored whole is no copy: it is completed, and until then the one before it counts', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  followed.write()
  const first = followed.follow(store)
  await first.next()
  first.close()
  followed.write()
  for (const putsLeft of [0, 1, 2]) {
    faults.putsLeft = putsLeft
    const follower = followed.follow(store)
    await assert.rejects(follower.next(), /fails/)
    faults.putsLeft = Infinity
    assert.deepEqual(await restored(t, store), upTo(putsLeft + 1))
    await follower.next()
    assert.deepEqual(await restored(t, store), upTo(putsLeft + 2))
    follower.close()
    followed.write()
  }
})

test('the time of the last backup is that of what the store has, and stands still while the store is away', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  const lastBackup = () => findLastBackup(followed.dataDir)
  faults.isAway = true
  await assert.rejects(follower.next())
  assert.equal(lastBackup(), undefined)
  faults.isAway = false
  await follower.next()
  const firstAt = followed.now()
  assert.equal(lastBackup(), firstAt)

  // Nothing changes, so nothing is stored; whether the store still has it is asked once a minute.
  faults.isAway = true
  const outcomes = []
  for (let seconds = 0; seconds <= 120; seconds += 2) {
    const outcome = await follower.next().then(
      () => 'fine',
      () => 'failed',
    )
    outcomes.push(outcome)
  }
  assert.equal(outcomes.at(-1), 'failed')
  assert.equal(lastBackup(), firstAt)
  followed.write()
  await assert.rejects(follower.next())
  assert.equal(lastBackup(), firstAt)
  faults.isAway = false
  await follower.next()
  assert.equal(lastBackup(), followed.now())
})

test('a store that keeps only half of what it was given, and says that it has all, is found out', async (t) => {
  const followed = await createFollowed(t)
  const { store, faults } = createStore(t)
  const follower = followed.follow(store)
  await follower.next()
  const firstAt = followed.now()
  followed.write()
  faults.halves = true
  await assert.rejects(follower.next(), /something else/)
  assert.equal(findLastBackup(followed.dataDir), firstAt)
  await assert.rejects(restored(t, store), /damaged: .* can't be read/)
  await follower.next()
  assert.deepEqual(await restored(t, store), [1])
})

test('what somebody deletes from the store is missed within a minute, and everything is copied anew', async (t) => {
  const followed = await createFollowed(t)
  const { store, names, folder } = createStore(t)
  const follower = followed.follow(store)
  for (let change = 0; change < 3; change++) {
    followed.write()
    await follower.next()
  }
  const lost = (await names()).find((name) => /\/00000002-/.test(name)) ?? ''
  rmSync(join(folder, lost))
  const before = findLastBackup(followed.dataDir)
  followed.pass(MINUTE)
  await assert.rejects(follower.next(), (error: Error) => error.message.includes(lost))
  assert.equal(findLastBackup(followed.dataDir), before)
  await follower.next()
  assert.deepEqual(await restored(t, store), [1, 2, 3])
  assert.equal(findLastBackup(followed.dataDir), followed.now())
})

test('a change that is missing before others is an error that names it, and what was before it can be restored', async (t) => {
  const followed = await createFollowed(t)
  const { store, names, folder } = createStore(t)
  const follower = followed.follow(store)
  const times: number[] = []
  for (let change = 0; change < 5; change++) {
    followed.write(change === 2 ? 17_000_000 : 10)
    await follower.next()
    times.push(followed.now())
  }
  const [one, two, three, four, five] = times as [number, number, number, number, number]
  const iso = (at: number) => new Date(at).toISOString()
  const parts = (await names()).filter((name) => name.includes('/00000003-'))
  assert.equal(parts.length, 2)
  // One part of it, then all of it.
  for (const lost of [parts.slice(1, 2), parts]) {
    for (const name of lost) rmSync(join(folder, name), { force: true })
    for (const until of [Infinity, five, four, three + 1]) {
      await assert.rejects(restored(t, store, until), {
        message: new RegExp(
          `has a gap: change 3 is missing, or parts of it, between ${iso(two)} and ${iso(four)}\\. Nothing was restored\\. .* --at ${iso(two)}\\.$`,
        ),
      })
    }
    assert.deepEqual(await restored(t, store, two), [1, 2])
    assert.deepEqual(await restored(t, store, one), [1])
  }
  const manifest = (await names()).find((name) => name.endsWith('manifest.json')) ?? ''
  rmSync(join(folder, manifest))
  await assert.rejects(restored(t, store, two), { message: `The backup is damaged: ${manifest} is missing.` })
})

test('a copy of a damaged database is not reported, and the copy before it stays the one that is restored', async (t) => {
  const followed = await createFollowed(t)
  const { store, names } = createStore(t)
  const last = followed.write()
  const first = followed.follow(store)
  await first.next()
  first.close()
  const before = await names()
  const reported = findLastBackup(followed.dataDir)
  const whole = `${followed.file}.whole`
  followed.reopenAfter(() => {
    const bytes = readFileSync(followed.file)
    copyFileSync(followed.file, whole)
    bytes.fill(0xff, bytes.length - 4096)
    writeFileSync(followed.file, bytes)
  })
  const follower = followed.follow(store)
  for (let tries = 0; tries < 5; tries++)
    await assert.rejects(follower.next(), /The copy .* can't be restored: .* is damaged/)
  assert.deepEqual(await names(), before)
  assert.equal(findLastBackup(followed.dataDir), reported)
  assert.deepEqual(await restored(t, store), upTo(last))
  followed.reopenAfter(() => renameSync(whole, followed.file))
  await assert.rejects(follower.next(), /can't be restored/, 'it is not copied every two seconds')
  followed.pass(MINUTE)
  await follower.next()
  assert.deepEqual(await restored(t, store), upTo(last))
  assert.ok((findLastBackup(followed.dataDir) ?? 0) > (reported ?? 0))
})

test('a newest copy whose first change is not whole any more is an error, and a time before it can be restored', async (t) => {
  const followed = await createFollowed(t)
  const { store, names, folder } = createStore(t)
  followed.write()
  const first = followed.follow(store)
  await first.next()
  first.close()
  const old = await names()
  followed.pass(3 * DAY)
  followed.write(17_000_000)
  await followed.follow(store).next()
  const parts = (await names()).filter((name) => !old.includes(name) && name.endsWith('.pages'))
  assert.equal(parts.length, 2)
  for (const lost of [parts.slice(1), parts]) {
    for (const name of lost) rmSync(join(folder, name), { force: true })
    const { message } = await restored(t, store).then(
      () => assert.fail(),
      (error: Error) => error,
    )
    const [, at = ''] =
      /is damaged: change 1 of the copy .* are missing\. Nothing was restored\. .* --at (\S+)\.$/.exec(message) ?? []
    assert.deepEqual(await restored(t, store, Date.parse(at)), [1])
  }
})
