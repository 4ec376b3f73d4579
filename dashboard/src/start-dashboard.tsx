import { App } from './shell/DashboardApp.tsx'
import { router } from './shell/router.tsx'
import { start } from './start.tsx'

// The page and who is signed in are loaded beside the texts.
void router.load()
await start(App, ['shared', 'failures', 'refusals', 'account', 'ssh', 'admin', 'applications', 'people', 'sites'])
