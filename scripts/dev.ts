// The server, started again at every change, and the dashboard with hot reload at http://localhost:5173.
import { spawn } from 'node:child_process'
import { generateApiTypes } from './generate-api-types.ts'

const DASHBOARD = 'http://localhost:5173'

// For the editor: the dashboard itself runs without its types.
generateApiTypes()
const children = [
  spawn('node', ['--watch', 'src/main.ts'], { stdio: 'inherit', env: { DASHBOARD_ORIGIN: DASHBOARD, ...process.env } }),
  spawn('vite', ['dashboard'], { stdio: 'inherit' }),
]
const stop = () => children.forEach((child) => child.kill())
process.on('SIGINT', stop)
process.on('SIGTERM', stop)
for (const child of children) child.on('exit', stop)
