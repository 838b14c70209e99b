// Requests as text to responses as text, by the HTTP library: request line,
// headers, keep-alive, HEAD. The library's own listener, threads, routes and
// compression are not used.
// Not thread-safe: one engine per worker.
#pragma once

#include <memory>

#include "exporter/web/router.h"
#include "exporter/web/worker_pool.h"

namespace rlrun {

// `router` outlives the engine. The two numbers are what the Keep-Alive header
// tells the client.
std::unique_ptr<RequestHandler> MakeHttpEngine(Router* router,
                                               int keep_alive_seconds,
                                               int keep_alive_requests);

}  // namespace rlrun
