import { existsSync } from 'node:fs'
import { defineConfig, devices } from '@playwright/test'
import { BROWSER_TESTS_NEED_LINUX, leavesOutLinux } from './scripts/needs-linux.ts'

// The distribution's Chromium where there is one, in the form without windows, which takes less processor time; otherwise the one
// that Playwright installed.
const installed = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium-headless-shell'

export default defineConfig({
  testDir: 'e2e',
  // Takes the pictures in docs/screenshots anew; it proves nothing, so it runs only when asked: SCREENSHOTS=1.
  testIgnore: [
    ...(process.env.SCREENSHOTS ? [] : ['screenshots.spec.ts']),
    ...(leavesOutLinux ? BROWSER_TESTS_NEED_LINUX.map((file) => `**/${file}`) : []),
  ],
  outputDir: 'test-results',
  fullyParallel: true,
  // The server tests run at the same time.
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: !!process.env.CI,
  reporter: 'list',
  globalSetup: './e2e/support/build.ts',
  use: {
    ...devices['Desktop Chrome'],
    locale: 'en-GB',
    // Animations would take an eighth of the time.
    contextOptions: { reducedMotion: 'reduce' },
    // Recording every page makes the tests take nearly twice as long: only when asked, with TRACE=1.
    trace: process.env.TRACE ? 'retain-on-failure' : 'off',
    launchOptions: {
      ...(existsSync(installed) ? { executablePath: installed } : {}),
      // Chromium's sandbox refuses to run as root, and needs user namespaces that most containers lack for others.
      chromiumSandbox: false,
    },
  },
})
