import { endpoints } from '../../paths.ts'

/** What root allows at a host. */
export type Allowing = { managed: boolean; sudo: boolean }

/** A line that ends in a shell which reads the installer, with what it allows. Sudo is only for accounts that the host makes. */
export function withOptions(line: string, { managed, sudo }: Allowing): string {
  if (!managed) return line
  return `${line} -s -- --allow-managed${sudo ? ' --allow-sudo' : ''}`
}

/** For a host that is enrolled already. */
export const setupLine = (origin: string, allowing: Allowing): string =>
  withOptions(`curl -fsS ${origin}${endpoints.sshHostSetup} | sudo sh`, allowing)
