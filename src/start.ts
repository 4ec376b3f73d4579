import { describeFailure, printError } from './describe-failure.ts'
import { loadSettings, readConfig, type SettingsSource } from './platform/config/config.ts'
import { describeMisspelt } from './platform/config/misspelt.ts'

/** Runs the service until a signal ends it. */
export async function start(source: SettingsSource = {}): Promise<void> {
  // Nothing this process writes is for other users of the machine.
  process.umask(0o077)
  // The reader may have closed its end. The service goes on; without a listener the 'error' event would end the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  try {
    const { environment, file } = loadSettings(source)
    const config = readConfig(environment)
    // Loading the service takes most of the start, so a wrong setting is reported before it.
    const { serve } = await import('./serve.ts')
    await serve(config, { warnings: describeMisspelt(environment), settingsFile: file })
  } catch (error) {
    printError(describeFailure(error))
    process.exit(1)
  }
}
