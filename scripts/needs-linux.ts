/** Whether tests that need Linux are left out: on the machine of a person who works on something else, and never in CI. */
export const leavesOutLinux = process.platform !== 'linux' && process.env['CI'] === undefined

/** They start servers as Debian installs them. */
export const BROWSER_TESTS_NEED_LINUX = ['e2e/sites.spec.ts', 'e2e/ssh-journey.spec.ts']
