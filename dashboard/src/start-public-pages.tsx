import { App } from './public-pages/PublicApp.tsx'
import { start } from './start.tsx'

await start(App, ['shared', 'publicPages'])
