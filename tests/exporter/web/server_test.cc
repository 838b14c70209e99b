#include "exporter/web/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <future>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace rlrun {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::shared_ptr<const Snapshot> MakeSnapshot(double value, bool ready) {
  auto header = std::make_shared<FamilyHeader>();
  header->name = "rlrun_last_step";
  header->help = "Newest step.";
  BlockBuilder builder;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "run-" + std::to_string(i);
    const Label run{"run", name};
    builder.Add(header, {&run, 1}, value);
  }
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->blocks.push_back(
      std::make_shared<const SampleBlock>(builder.Build()));
  snapshot->ready = ready;
  return snapshot;
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() {
    options_.listen_addresses = {"127.0.0.1:0"};
    callbacks_.snapshot = [this] {
      const std::lock_guard lock(mutex_);
      return snapshot_;
    };
    callbacks_.self_metrics = [this](std::string* out, TextFormat) {
      if (fail_) throw std::runtime_error("disk\nexploded");
      *out += "self_metric 1\n";
    };
    callbacks_.reload = [this] {
      const std::lock_guard lock(mutex_);
      return reload_result_;
    };
    callbacks_.scrape_failed = [this] { ++failures_; };
    callbacks_.version = "9.8.7";
  }

  void Start() {
    server_ = std::make_unique<Server>(options_, callbacks_);
    ASSERT_EQ(server_->Start(), "");
  }
  void Publish(std::shared_ptr<const Snapshot> snapshot) {
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(snapshot);
  }
  void SayOnReload(const std::string& result) {
    const std::lock_guard lock(mutex_);
    reload_result_ = result;
  }
  std::unique_ptr<httplib::Client> Client(std::size_t listener = 0) {
    auto client = std::make_unique<httplib::Client>(server_->urls()[listener]);
    client->set_decompress(false);
    return client;
  }
  httplib::Result Get(const std::string& path, httplib::Headers headers = {}) {
    return Client()->Get(path, headers);
  }

  WebOptions options_;
  WebCallbacks callbacks_;
  std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::atomic<bool> fail_{false};
  std::atomic<int> failures_{0};
  std::string reload_result_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, OnlySelfMetricsBeforeTheFirstSnapshot) {
  Start();
  const auto result = Get("/metrics");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->body, "self_metric 1\n");
}

TEST_F(ServerTest, PlainTextWithoutAccept) {
  Publish(MakeSnapshot(7, true));
  Start();
  const auto result = Get("/metrics");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->get_header_value("Content-Type"),
            ContentType(TextFormat::kText004));
  EXPECT_EQ(result->get_header_value("Vary"), "Accept, Accept-Encoding");
  EXPECT_FALSE(result->has_header("Content-Encoding"));
  EXPECT_THAT(result->body, HasSubstr("rlrun_last_step{run=\"run-0\"} 7\n"));
  EXPECT_THAT(result->body, HasSubstr("self_metric 1\n"));
  EXPECT_THAT(result->body, Not(HasSubstr("# EOF")));
}

TEST_F(ServerTest, OpenMetricsEndsWithEof) {
  Publish(MakeSnapshot(7, true));
  Start();
  const auto result =
      Get("/metrics", {{"Accept",
                        "application/openmetrics-text;version=1.0.0,"
                        "text/plain;version=0.0.4;q=0.5"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->get_header_value("Content-Type"),
            ContentType(TextFormat::kOpenMetrics100));
  EXPECT_TRUE(result->body.ends_with("self_metric 1\n# EOF\n"));
}

TEST_F(ServerTest, GzipOnceAndNeverBrotli) {
  Publish(MakeSnapshot(7, true));
  Start();
  const std::string plain = Get("/metrics")->body;
  for (const char* accept : {"gzip", "br, gzip", "deflate, gzip;q=0.1"}) {
    const auto packed = Get("/metrics", {{"Accept-Encoding", accept}});
    ASSERT_TRUE(packed) << accept;
    EXPECT_EQ(packed->get_header_value("Content-Encoding"), "gzip");
    EXPECT_EQ(packed->get_header_value_count("Content-Encoding"), 1u);
    EXPECT_LT(packed->body.size(), plain.size());
    EXPECT_EQ(packed->body.substr(0, 2), "\x1f\x8b");
    httplib::Client client(server_->urls()[0]);
    EXPECT_EQ(client.Get("/metrics", {{"Accept-Encoding", accept}})->body,
              plain);
  }
}

TEST_F(ServerTest, GzipIsNotForcedUponAnybody) {
  Start();
  for (const char* accept : {"", "br", "gzip;q=0", "identity", "br, *;q=0"}) {
    const auto result = Get("/metrics", {{"Accept-Encoding", accept}});
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->has_header("Content-Encoding")) << accept;
    EXPECT_EQ(result->body, "self_metric 1\n") << accept;
  }
}

TEST_F(ServerTest, OtherRoutesAreNotCompressedByTheLibrary) {
  Start();
  for (const char* path : {"/-/ready", "/-/healthy", "/nowhere"}) {
    const auto result = Get(path, {{"Accept-Encoding", "br, gzip"}});
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->has_header("Content-Encoding")) << path;
  }
}

TEST_F(ServerTest, RangeIsIgnored) {
  Start();
  const auto result = Get("/metrics", {{"Range", "bytes=0-3"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->body, "self_metric 1\n");
}

TEST_F(ServerTest, HeadHasTheLengthAndNoBody) {
  Start();
  const auto result = Client()->Head("/metrics");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->get_header_value("Content-Length"), "14");
  EXPECT_EQ(result->body, "");
  EXPECT_EQ(Client()->Head("/-/healthy")->status, 200);
}

TEST_F(ServerTest, ExceptionIsAnswered500AndTheServerLives) {
  Publish(MakeSnapshot(7, true));
  Start();
  fail_ = true;
  const auto client = Client();
  const auto result = client->Get("/metrics", {{"Accept-Encoding", "gzip"}});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 500);
  EXPECT_EQ(result->body, "collecting metrics failed: disk exploded\n");
  EXPECT_THAT(result->get_header_value("Content-Type"),
              StartsWith("text/plain"));
  EXPECT_FALSE(result->has_header("Content-Encoding"));
  EXPECT_EQ(failures_, 1);
  fail_ = false;
  EXPECT_EQ(client->Get("/metrics")->status, 200);
  EXPECT_EQ(failures_, 1);
}

TEST_F(ServerTest, UnknownPathIs404) {
  Start();
  for (const char* path : {"/nowhere", "/metrics/", "/metrics2", "/-/", "//"}) {
    const auto result = Get(path);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, 404) << path;
    EXPECT_EQ(result->body, "404 not found\n");
  }
}

TEST_F(ServerTest, QueryIsIgnored) {
  Start();
  EXPECT_EQ(Get("/metrics?a=b")->status, 200);
}

TEST_F(ServerTest, WrongMethodIs405WithAllow) {
  Start();
  for (const char* path : {"/", "/metrics", "/-/healthy", "/-/ready"}) {
    const auto result = Client()->Post(path, "x", "text/plain");
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, 405) << path;
    EXPECT_EQ(result->get_header_value("Allow"), "GET, HEAD");
    EXPECT_EQ(result->body, "405 method not allowed; use GET, HEAD\n");
  }
  EXPECT_EQ(Client()->Delete("/metrics")->status, 405);
  EXPECT_EQ(Client()->Options("/metrics")->status, 405);
}

TEST_F(ServerTest, HealthyAlwaysReadyLater) {
  Start();
  EXPECT_EQ(Get("/-/healthy")->status, 200);
  EXPECT_EQ(Get("/-/ready")->status, 503);
  Publish(MakeSnapshot(1, false));
  EXPECT_EQ(Get("/-/ready")->status, 503);
  Publish(MakeSnapshot(1, true));
  EXPECT_EQ(Get("/-/ready")->status, 200);
  EXPECT_EQ(Get("/-/healthy")->status, 200);
}

TEST_F(ServerTest, ReloadIsOffByDefault) {
  Start();
  const auto result = Client()->Post("/-/reload");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 403);
  EXPECT_EQ(result->body,
            "reload is off; --web.enable-lifecycle turns it on\n");
  EXPECT_EQ(Get("/-/reload")->status, 405);
}

TEST_F(ServerTest, ReloadByPostAndPut) {
  options_.enable_lifecycle = true;
  Start();
  EXPECT_EQ(Client()->Post("/-/reload")->status, 200);
  EXPECT_EQ(Client()->Put("/-/reload")->status, 200);
  const auto get = Get("/-/reload");
  EXPECT_EQ(get->status, 405);
  EXPECT_EQ(get->get_header_value("Allow"), "POST, PUT");
  EXPECT_EQ(Client()->Head("/-/reload")->status, 405);
  SayOnReload("c.yaml:3: unknown key\nc.yaml:5: too many");
  const auto failed = Client()->Post("/-/reload");
  EXPECT_EQ(failed->status, 500);
  EXPECT_EQ(failed->body,
            "reload failed: c.yaml:3: unknown key\nc.yaml:5: too many\n");
}

TEST_F(ServerTest, ReloadThatThrowsIs500) {
  options_.enable_lifecycle = true;
  callbacks_.reload = []() -> std::string { throw std::runtime_error("no"); };
  Start();
  EXPECT_EQ(Client()->Post("/-/reload")->body, "reload failed: no\n");
}

TEST_F(ServerTest, LandingPageWithSecurityHeaders) {
  Start();
  const auto result = Get("/");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->get_header_value("Content-Type"),
            "text/html; charset=utf-8");
  EXPECT_THAT(
      result->get_header_value("Content-Security-Policy"),
      StartsWith("default-src 'none'; img-src 'self'; style-src 'sha256-"));
  EXPECT_EQ(result->get_header_value("X-Content-Type-Options"), "nosniff");
  EXPECT_THAT(result->body, HasSubstr("rlrun_exporter 9.8.7"));
}

TEST_F(ServerTest, HostileRunNameInTheLandingPage) {
  auto snapshot = std::make_shared<Snapshot>();
  RunSummary run;
  run.run = "<script>alert('x')</script>";
  snapshot->runs.push_back(run);
  Publish(snapshot);
  Start();
  const std::string body = Get("/")->body;
  EXPECT_THAT(body, Not(HasSubstr("<script")));
  EXPECT_THAT(body, HasSubstr("&lt;script&gt;"));
}

TEST_F(ServerTest, TelemetryUnderAnotherPath) {
  options_.telemetry_path = "/other";
  Start();
  EXPECT_EQ(Get("/other")->body, "self_metric 1\n");
  EXPECT_EQ(Get("/metrics")->status, 404);
  EXPECT_THAT(Get("/")->body, HasSubstr("href=\"./other\""));
}

TEST_F(ServerTest, TelemetryAtTheRootReplacesTheLandingPage) {
  options_.telemetry_path = "/";
  Start();
  EXPECT_EQ(Get("/")->body, "self_metric 1\n");
  EXPECT_EQ(Get("/-/healthy")->status, 200);
}

TEST_F(ServerTest, ExternalUrlIsAPrefixOfLinksAndRoutes) {
  options_.external_url = "https://example.org/rl/exporter/";
  Start();
  EXPECT_EQ(Get("/rl/exporter/metrics")->body, "self_metric 1\n");
  EXPECT_EQ(Get("/metrics")->body, "self_metric 1\n");
  EXPECT_EQ(Get("/rl/exporter/-/healthy")->status, 200);
  EXPECT_EQ(Get("/rl/exportermetrics")->status, 404);
  for (const char* path : {"/rl/exporter", "/rl/exporter/", "/"}) {
    EXPECT_THAT(Get(path)->body, HasSubstr("href=\"/rl/exporter/metrics\""));
  }
}

TEST_F(ServerTest, PrefixThatBeginsTheTelemetryPathByChance) {
  options_.external_url = "/met";
  Start();
  EXPECT_EQ(Get("/metrics")->status, 200);
  EXPECT_EQ(Get("/met/metrics")->status, 200);
}

TEST_F(ServerTest, OptionsThatMakeNoSenseAreNamed) {
  const auto wrong = [this](std::string path, std::string url) {
    options_.telemetry_path = std::move(path);
    options_.external_url = std::move(url);
    return Server(options_, callbacks_).Start();
  };
  EXPECT_EQ(wrong("metrics", ""),
            "telemetry path metrics: must begin with / and hold no blank, ? "
            "or #");
  EXPECT_EQ(wrong("/-/ready", ""), "telemetry path /-/ready: /-/ is taken");
  EXPECT_EQ(wrong("/metrics", "example.org"),
            "external URL example.org: must begin with http://, https:// or "
            "/");
  EXPECT_EQ(wrong("/metrics", "http://a/?b"),
            "external URL http://a/?b: must hold no blank, ? or #");
}

TEST_F(ServerTest, TwoListeners) {
  options_.listen_addresses = {"127.0.0.1:0", "127.0.0.1:0"};
  Start();
  ASSERT_EQ(server_->urls().size(), 2u);
  EXPECT_NE(server_->urls()[0], server_->urls()[1]);
  EXPECT_EQ(Client(0)->Get("/metrics")->status, 200);
  EXPECT_EQ(Client(1)->Get("/metrics")->status, 200);
}

TEST_F(ServerTest, AddressInUseServesNothing) {
  Start();
  const std::string address = server_->urls()[0].substr(7);
  WebOptions options = options_;
  options.listen_addresses = {"127.0.0.1:0", address};
  Server second(options, callbacks_);
  EXPECT_EQ(second.Start(),
            "listen on " + address + ": address already in use");
  EXPECT_TRUE(second.urls().empty());
}

TEST_F(ServerTest, PortIsFreeAfterStop) {
  Start();
  Get("/metrics");
  const std::string address = server_->urls()[0].substr(7);
  server_->Stop();
  options_.listen_addresses = {address};
  Server second(options_, callbacks_);
  EXPECT_EQ(second.Start(), "");
}

TEST_F(ServerTest, StopTwiceAndWithoutStart) {
  Server never(options_, callbacks_);
  never.Stop();
  Start();
  server_->Stop();
  server_->Stop();
}

TEST_F(ServerTest, StopWaitsForTheCallbackThatRuns) {
  std::promise<void> entered;
  std::promise<void> gate;
  std::atomic<bool> left{false};
  callbacks_.self_metrics = [&](std::string*, TextFormat) {
    entered.set_value();
    gate.get_future().wait();
    left = true;
  };
  Start();
  const auto client = Client();
  std::thread scrape([&] { client->Get("/metrics"); });
  entered.get_future().wait();
  std::thread stop([&] {
    server_->Stop();
    EXPECT_TRUE(left);
  });
  // Until nothing is accepted any more: the stop has begun.
  while (Get("/-/healthy")) {
  }
  gate.set_value();
  stop.join();
  scrape.join();
}

TEST_F(ServerTest, KeepAliveServesManyRequests) {
  Start();
  const auto client = Client();
  client->set_keep_alive(true);
  for (int i = 0; i < 250; ++i) {
    const auto result = client->Get("/-/healthy");
    ASSERT_TRUE(result) << i;
    ASSERT_EQ(result->status, 200);
  }
}

TEST_F(ServerTest, ScrapesWhileSnapshotsAreSwapped) {
  Publish(MakeSnapshot(0, true));
  Start();
  std::atomic<bool> done{false};
  std::thread publisher([&] {
    for (int i = 1; !done; ++i) Publish(MakeSnapshot(i % 10, true));
  });
  std::vector<std::thread> scrapers;
  std::atomic<int> mixed{0};
  for (int t = 0; t < 4; ++t) {
    scrapers.emplace_back([&, t] {
      httplib::Client client(server_->urls()[0]);
      client.set_keep_alive(t % 2 == 0);
      for (int i = 0; i < 25; ++i) {
        const auto result =
            client.Get("/metrics", {{"Accept-Encoding", "gzip"}});
        const std::string body = result ? result->body : "";
        // One snapshot per scrape: every run has the value of run-0.
        const std::size_t at = body.find("run-0\"} ");
        if (at == body.npos) {
          ++mixed;
          continue;
        }
        const std::string value = body.substr(at + 6, 4);
        for (int run = 0; run < 200; ++run) {
          const std::string line =
              "run-" + std::to_string(run) + "\"}" + value.substr(1);
          if (body.find(line) == body.npos) ++mixed;
        }
      }
    });
  }
  for (std::thread& thread : scrapers) thread.join();
  done = true;
  publisher.join();
  EXPECT_EQ(mixed, 0);
}

}  // namespace
}  // namespace rlrun
