export const handle = (id, event) => process.stdout.write(`${JSON.stringify({ id, type: event.type })}\n`)
