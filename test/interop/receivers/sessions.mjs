// What the documented receivers call an application's own.
export const endSessions = (sub, sid) => process.stdout.write(`${JSON.stringify({ sub, ...(sid ? { sid } : {}) })}\n`)
