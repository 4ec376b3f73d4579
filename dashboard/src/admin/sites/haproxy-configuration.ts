import { lines, partsOf, type ProxiedSite, renamed, type Upstreams } from './proxied-site.ts'

/** HAProxy itself asks nobody else, but runs this with what Debian's package contains. */
export const HAPROXY_SCRIPT = `-- Asks Latchkey whether to let a request through: /etc/haproxy/latchkey.lua, for HAProxy 2.6 and newer.
local PASSED = {
    "accept", "accept-language", "authorization", "cookie", "referer", "sec-fetch-mode", "sec-fetch-site", "user-agent",
    "x-requested-with",
}
-- These are about the connection to Latchkey.
local NOT_PASSED = { ["connection"] = true, ["content-length"] = true, ["keep-alive"] = true, ["transfer-encoding"] = true }

local function answer(txn, answered)
    local reply = txn:reply()
    reply:set_status(answered.status)
    for name, values in pairs(answered.headers or {}) do
        if not NOT_PASSED[name] then
            for _, value in pairs(values) do reply:add_header(name, value) end
        end
    end
    reply:set_body(answered.body or "")
    txn:done(reply)
end

-- Where Latchkey is, the host of the site as it is written out, and the headers that name the visitor, with commas between them.
core.register_action("latchkey", { "http-req" }, function(txn, latchkey, host, names)
    local given, sent = txn.http:req_get_headers(), {}
    for _, name in ipairs(PASSED) do
        if given[name] then
            sent[name] = {}
            for _, value in pairs(given[name]) do table.insert(sent[name], value) end
        end
    end
    sent["x-forwarded-method"] = { txn.sf:method() }
    sent["x-forwarded-proto"] = { "https" }
    sent["x-forwarded-host"] = { host }
    sent["x-forwarded-uri"] = { txn.sf:pathq() }
    sent["x-forwarded-for"] = { txn.sf:src() }
    local url = "http://" .. latchkey .. "/api/authz/forward-auth"
    local asked, answered = pcall(function()
        return core.httpclient():get({ url = url, headers = sent, timeout = 10000 })
    end)
    if not asked or not answered or not answered.status or answered.status < 200 then
        return answer(txn, { status = 503 })
    end
    if answered.status ~= 200 then return answer(txn, answered) end
    for name in names:gmatch("[^,]+") do
        local values = answered.headers[name:lower()]
        -- All of them: an answer without one must not leave that of the visitor.
        txn.http:req_set_header(name, values and values[0] or "")
    end
end, 3)
`

const backendOf = (host: string): string => {
  const { name, port } = partsOf(host)
  return `site_${name}_${port}`
}

const siteBackend = (host: string, headers: readonly string[], { latchkey, application }: Upstreams): string =>
  lines(
    `backend ${backendOf(host)}`,
    '    # A visitor must not name themselves: these headers come from Latchkey alone. Some applications read a name with',
    '    # underscores as the same, so names with anything but letters, digits and hyphens are removed.',
    '    option http-restrict-req-hdr-names delete',
    '    http-request del-header remote -m beg',
    renamed(headers).map((name) => `    http-request del-header ${name}`),
    '    # WebSockets, and no other protocol: what is asked for in HTTP/2 over such a connection would pass unseen.',
    '    http-request del-header upgrade unless { req.hdr(upgrade) -i websocket }',
    '    http-request set-header X-Forwarded-For %[src]',
    '    http-request set-header X-Forwarded-Proto https',
    `    http-request set-header X-Forwarded-Host ${host}`,
    '    # The host is written out: a visitor may say another port.',
    `    http-request lua.latchkey ${latchkey} ${host} ${headers.join(',') || ','}`,
    `    server application ${application}`,
    '',
  )

export const haproxyConfiguration = ({ hosts, headers }: ProxiedSite, upstreams: Upstreams): string =>
  lines(
    '# Once for all sites. The script latchkey.lua is beside this file.',
    'global',
    '    lua-load /etc/haproxy/latchkey.lua',
    '',
    'defaults',
    '    mode http',
    '    timeout http-request 30s',
    '    timeout connect 5s',
    '    timeout client 5m',
    '    timeout server 5m',
    '    # How long a WebSocket may be silent.',
    '    timeout tunnel 1h',
    '',
    '# Whoever asks for another name gets nothing.',
    'frontend sites',
    [...new Set(hosts.map((host) => partsOf(host).port))].map(
      (port) => `    bind :${port} ssl crt /etc/haproxy/certs/ strict-sni alpn h2,http/1.1`,
    ),
    '    use_backend site_%[req.hdr(host),field(1,:),lower]_%[dst_port]',
    '    default_backend none',
    '',
    'backend none',
    '    http-request deny deny_status 404',
    '',
    '# For this site:',
    hosts.map((host) => siteBackend(host, headers, upstreams)),
  )
