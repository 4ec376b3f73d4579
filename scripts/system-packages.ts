// The tests use the real OpenSSH, a real browser, real proxies, SQLite's shell, and ShellCheck. As root on Debian missing packages are
// installed; on other Linux systems the command for it is printed, and nothing is skipped.
import { accessSync, constants, existsSync } from 'node:fs'
import { join } from 'node:path'
import { leavesOutLinux } from './needs-linux.ts'
import { run } from './run.ts'

const NEEDED: Record<string, string> = {
  'ssh-keygen': 'openssh-client',
  ssh: 'openssh-client',
  sshd: 'openssh-server',
  'chromium-headless-shell': 'chromium-headless-shell',
  nginx: 'nginx-light',
  caddy: 'caddy',
  haproxy: 'haproxy',
  apache2: 'apache2-bin',
  '/usr/share/lua/5.3/socket/http.lua': 'lua-socket',
  sqlite3: 'sqlite3',
  shellcheck: 'shellcheck',
  visudo: 'sudo',
  busybox: 'busybox',
  promtool: 'prometheus',
  oathtool: 'oathtool',
  // A security key without a device, and another implementation of SSH.
  '/usr/lib/openssh/regress/misc/sk-dummy/sk-dummy.so': 'openssh-tests',
  '/usr/lib/python3/dist-packages/asyncssh/__init__.py': 'python3-asyncssh',
}

const FOLDERS = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/sbin']

/** A program by its name, or a file by its path. */
function isInstalled(program: string): boolean {
  if (program.startsWith('/')) return existsSync(program)
  return FOLDERS.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

export async function requireSystemPackages(): Promise<void> {
  if (leavesOutLinux) return
  const missing = Object.keys(NEEDED).filter((program) => !isInstalled(program))
  if (missing.length === 0) return
  const packages = [...new Set(missing.map((program) => NEEDED[program] ?? ''))]
  if (process.getuid?.() === 0 && isInstalled('apt-get')) {
    process.stdout.write(`Installing ${packages.join(', ')} for the tests.\n`)
    await run('apt-get', ['update', '-qq'], { quiet: true })
    const { code } = await run(
      'env',
      ['DEBIAN_FRONTEND=noninteractive', 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages],
      { quiet: true },
    )
    if (code === 0) return
  }
  process.stderr.write(`The tests need ${missing.join(', ')}. Run: sudo apt-get install -y ${packages.join(' ')}\n`)
  process.exit(1)
}
