// The part of the section "serving" that goes over HTTP.
#pragma once

namespace tbt::bench {

// One thread for the model. Where TBT_SERVE names the server's program, its start is measured too.
void measure_server();

}  // namespace tbt::bench
