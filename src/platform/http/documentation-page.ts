import type { OpenAPI } from 'openapi-types'
import { escapeHtml } from './escape-html.ts'

interface Operation {
  summary?: string
  description?: string
  tags?: string[]
  security?: unknown[]
  'x-permission'?: string
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: unknown }[]
  requestBody?: { content?: Record<string, { schema?: unknown }> }
  responses?: Record<string, { description?: string; content?: Record<string, { schema?: unknown }> }>
}

/** The API for people: one page without a script, made from the same document that programs read. */
export function renderDocumentation(document: OpenAPI.Document): string {
  const { info } = document
  const sections = Map.groupBy(operationsOf(document), ({ operation }) => operation.tags?.[0] ?? 'Other')
  const body = [...sections]
    .map(
      ([tag, list]) =>
        `<section><h2 id="${slug(tag)}">${escapeHtml(tag)}</h2>${list.map(renderOperation).join('')}</section>`,
    )
    .join('')
  const contents = [...sections.keys()].map((tag) => `<a href="#${slug(tag)}">${escapeHtml(tag)}</a>`).join(' ')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)} API</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(info.title)} API <small>${escapeHtml(info.version)}</small></h1>
<p>${escapeHtml(info.description ?? '')} The same for programs: <a href="/openapi.json">openapi.json</a>.</p>
<nav>${contents}</nav>${body}</main></body></html>`
}

interface Entry {
  method: string
  path: string
  operation: Operation
}

const operationsOf = ({ paths = {} }: OpenAPI.Document): Entry[] =>
  Object.entries(paths as Record<string, Record<string, Operation>>).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

function renderOperation({ method, path, operation }: Entry): string {
  const access = operation['x-permission'] ?? (operation.security ? 'signed in or client' : 'public')
  const parameters = (operation.parameters ?? [])
    .map(
      (each) =>
        `<li><code>${escapeHtml(each.name)}</code> in ${each.in}${each.required ? ', required' : ''}. ${escapeHtml(each.description ?? '')} ${renderSchema(each.schema)}</li>`,
    )
    .join('')
  const bodies = Object.entries(operation.requestBody?.content ?? {})
    .map(([type, { schema }]) => `<h4>Body <small>${escapeHtml(type)}</small></h4>${renderSchema(schema)}`)
    .join('')
  const responses = Object.entries(operation.responses ?? {})
    .map(([status, { description, content = {} }]) => {
      const schema = Object.values(content)[0]?.schema
      return `<h4>${status} <small>${escapeHtml(description ?? '')}</small></h4>${renderSchema(schema)}`
    })
    .join('')
  return `<details><summary><b class="${method}">${method}</b> <code>${escapeHtml(path)}</code> <span>${escapeHtml(operation.summary ?? '')}</span> <em>${escapeHtml(access)}</em></summary>
<div><p>${escapeHtml(operation.description ?? '')}</p>${parameters ? `<h4>Parameters</h4><ul>${parameters}</ul>` : ''}${bodies}${responses}</div></details>`
}

const renderSchema = (schema: unknown): string =>
  schema === undefined ? '' : `<pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre>`

const slug = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '-')

const STYLE = `
:root{color-scheme:light dark;--line:light-dark(#e3e5e8,#33363c);--soft:light-dark(#f6f7f8,#1c1e22);--quiet:light-dark(#5c6370,#9aa0aa)}
body{font:16px/1.55 system-ui,sans-serif;margin:0;background:light-dark(#fff,#131417);color:light-dark(#1b1d21,#e7e8ea)}
main{max-width:60rem;margin:0 auto;padding:2rem 1rem 6rem}small,em{color:var(--quiet);font-weight:400;font-style:normal}
nav{display:flex;flex-wrap:wrap;gap:.5rem 1rem;margin:1rem 0}details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0}
summary{padding:.6rem .8rem;cursor:pointer;display:flex;flex-wrap:wrap;gap:.3rem .8rem;align-items:baseline}summary em{margin-left:auto;font-size:.85em}
summary b{min-width:4rem}.GET{color:light-dark(#0b6e4f,#5ec9a0)}.POST,.PUT,.PATCH{color:light-dark(#1f4fbf,#8fb0ff)}.DELETE{color:light-dark(#b3261e,#ff9c94)}
details>div{padding:0 .8rem .8rem}pre{background:var(--soft);border-radius:.4rem;padding:.6rem;overflow:auto;font-size:.85em;max-height:24rem}h4{margin:.8rem 0 .3rem}
a{color:light-dark(#1f4fbf,#8fb0ff)}code{font-size:.95em;overflow-wrap:anywhere}`
