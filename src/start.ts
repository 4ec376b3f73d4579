import { loadEnvironment, readConfig } from './config/config.ts'
import { describeMisspelt } from './config/misspelt.ts'
import { describeFailure, printError } from './describe-failure.ts'

// Nothing this process writes is for other users of the machine.
process.umask(0o077)
// The reader may have closed its end. The service goes on; without a listener the 'error' event would end the process.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

try {
  const environment = loadEnvironment()
  const config = readConfig(environment)
  // Loading the service takes most of the start, so a wrong setting is reported before it.
  const { serve } = await import('./serve.ts')
  await serve(config, describeMisspelt(environment))
} catch (error) {
  printError(describeFailure(error))
  process.exit(1)
}
