import { appendFileSync } from 'node:fs'

export interface Figure {
  part: string
  what: string
  value: string
}

/** Adds a line to the table that `npm run test:load` prints. */
export function addFigure(part: string, what: string, value: string): void {
  const file = process.env['FIGURES_FILE']
  if (file !== undefined) appendFileSync(file, `${JSON.stringify({ part, what, value } satisfies Figure)}\n`)
}
