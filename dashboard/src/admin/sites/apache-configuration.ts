import { lines, partsOf, PASSED_IN_LUA, portsOf, type ProxiedSite, type Upstreams } from './proxied-site.ts'

/** Apache asks nobody else by itself, but runs this with Debian's packages apache2 and lua-socket. */
export const APACHE_SCRIPT = `-- Asks Latchkey whether to let a request through: /etc/apache2/latchkey.lua, for mod_lua with lua-socket.
local http = require "socket.http"
local ltn12 = require "ltn12"

${PASSED_IN_LUA}
local ANSWERED = {
    "cache-control", "content-security-policy", "location", "referrer-policy", "retry-after", "vary", "www-authenticate",
    "x-content-type-options", "x-request-id",
}

-- A visitor must not name themselves: these headers come from Latchkey alone. Some applications read a name with underscores or
-- dots as the same. What Connection names is not passed on, so only what HTTP needs is left of it; and only WebSockets are upgrades, since
-- what is asked for in HTTP/2 over such a connection would pass unseen.
local function clean(r, names)
    local upgrade, connection = nil, nil
    for name, value in pairs(r:headers_in_table()) do
        local lower = name:lower()
        if lower == "upgrade" and value:lower() == "websocket" then upgrade = "websocket" end
        if lower == "connection" and value:lower():find("close", 1, true) then connection = "close" end
        if lower == "upgrade" or lower == "connection" or lower:find("[^%w-]") or lower:find("^remote") then
            r.headers_in[name] = nil
        end
    end
    for name in names:gmatch("[^,]+") do r.headers_in[name] = nil end
    if upgrade then r.headers_in["Upgrade"], connection = upgrade, "Upgrade" end
    if connection then r.headers_in["Connection"] = connection end
end

function check(r)
    local env = r.subprocess_env
    local latchkey, host, names = env["LATCHKEY"], env["LATCHKEY_HOST"], env["LATCHKEY_HEADERS"] or ""
    if not latchkey or not host then return 500 end
    clean(r, names)
    -- Apache sends these to Latchkey, by the same reading of the path. They have one spelling.
    if r.uri:sub(1, 11) == "/.latchkey/" then
        return r.unparsed_uri:sub(1, 11) == "/.latchkey/" and apache2.DECLINED or 404
    end
    local sent = {
        ["x-forwarded-method"] = r.method,
        ["x-forwarded-proto"] = "https",
        ["x-forwarded-host"] = host,
        ["x-forwarded-uri"] = r.unparsed_uri,
        ["x-forwarded-for"] = r.useragent_ip,
    }
    for _, name in ipairs(PASSED) do sent[name] = r.headers_in[name] end
    local body = {}
    http.TIMEOUT = 10
    local asked, status, headers = pcall(function()
        local _, code, fields = http.request({
            url = "http://" .. latchkey .. "/api/authz/forward-auth",
            headers = sent, redirect = false, sink = ltn12.sink.table(body),
        })
        return code, fields
    end)
    if not asked or type(status) ~= "number" then return 503 end
    if status == 200 then
        -- All of them: an answer without one must not leave that of the visitor.
        for name in names:gmatch("[^,]+") do r.headers_in[name] = headers[name:lower()] or "" end
        return apache2.DECLINED
    end
    r.status = status
    for _, name in ipairs(ANSWERED) do
        if headers[name] then r.err_headers_out[name] = headers[name] end
    end
    r.content_type = headers["content-type"] or "text/plain"
    r:write(table.concat(body))
    return apache2.DONE
end
`

const virtualHost = (host: string, headers: readonly string[], { latchkey, application }: Upstreams): string => {
  const { name, port } = partsOf(host)
  return lines(
    `<VirtualHost *:${port}>`,
    `    ServerName ${name}`,
    '    SSLEngine on',
    `    SSLCertificateFile /etc/letsencrypt/live/${name}/fullchain.pem`,
    `    SSLCertificateKeyFile /etc/letsencrypt/live/${name}/privkey.pem`,
    '    # Latchkey and the application get the path as it was sent. Only where it begins with several slashes, the application gets it with',
    '    # one, with dots resolved and escapes written anew.',
    '    AllowEncodedSlashes NoDecode',
    '',
    '    # Apache asks Latchkey about each request. The host is written out: a visitor may say another port.',
    `    SetEnvIf Request_Protocol . LATCHKEY=${latchkey} LATCHKEY_HOST=${host} LATCHKEY_HEADERS=${headers.join(',')}`,
    '    LuaHookAccessChecker /etc/apache2/latchkey.lua check early',
    '',
    '    # The application gets the same host. Apache would add what the visitor says.',
    '    ProxyPreserveHost On',
    `    RequestHeader set Host ${host}`,
    '    ProxyAddHeaders off',
    '    RequestHeader set X-Forwarded-For expr=%{REMOTE_ADDR}',
    `    RequestHeader set X-Forwarded-Host ${host}`,
    '    RequestHeader set X-Forwarded-Proto https',
    '    # The sign-in at this site.',
    `    ProxyPass /.latchkey/ http://${latchkey}/.latchkey/ nocanon connectiontimeout=2 timeout=10`,
    `    ProxyPass / http://${application}/ nocanon connectiontimeout=5 timeout=300 upgrade=websocket`,
    '    # The application decides how large a body may be.',
    '    LimitRequestBody 0',
    '</VirtualHost>',
    '',
  )
}

const otherNames = (port: string): string =>
  lines(
    '# Once for each port: whoever asks for another name gets nothing.',
    // Debian's settings have that of 443.
    port === '443' ? [] : `Listen ${port}`,
    `<VirtualHost _default_:${port}>`,
    '    SSLEngine on',
    '    SSLCertificateFile /etc/ssl/certs/ssl-cert-snakeoil.pem',
    '    SSLCertificateKeyFile /etc/ssl/private/ssl-cert-snakeoil.key',
    '    Redirect 404 /',
    '</VirtualHost>',
    '',
  )

export const apacheConfiguration = ({ hosts, headers }: ProxiedSite, upstreams: Upstreams): string =>
  lines(
    '# Once for all sites: a2enmod ssl headers proxy_http proxy_wstunnel lua. The script latchkey.lua is beside this file.',
    'LuaScope thread',
    '',
    portsOf(hosts).map(otherNames),
    '# For this site:',
    hosts.map((host) => virtualHost(host, headers, upstreams)),
  )
