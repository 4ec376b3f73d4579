import asyncHooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = asyncHooks

/**
 * Loaded before the test runner, which follows every promise in order to name the test in which an error was not handled. That takes as
 * long as the tests themselves. Without it such an error fails the file and not the test.
 */
asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook
  syncBuiltinESMExports()
  return createHook({ ...callbacks, trackPromises: false })
}
