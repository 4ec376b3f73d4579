import { App } from './entrance/EntranceApp.tsx'
import { start } from './start.tsx'

await start(App, ['shared', 'entrance'])
